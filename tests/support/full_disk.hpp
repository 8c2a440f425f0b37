// The limit of file sizes stands for a full disk.
#pragma once

#include <signal.h>
#include <sys/resource.h>

namespace macareu::test {

/// While it exists, no file grows beyond so many bytes.
class full_disk {
 public:
  explicit full_disk(rlim_t bytes = 0) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit now{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &now);
  }
  ~full_disk() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    ::signal(SIGXFSZ, SIG_DFL);
  }
  full_disk(const full_disk&) = delete;
  full_disk& operator=(const full_disk&) = delete;

 private:
  rlimit before_{};
};

}  // namespace macareu::test
