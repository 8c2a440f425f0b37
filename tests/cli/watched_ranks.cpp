// Preloaded into the tool: ranks that crash when the program is left, and a list of the folders that they
// sync.
#include <dlfcn.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace {

/// Those that the tool has started end with it.
bool is_first_rank() {
  int signal_of_end = 0;
  ::prctl(PR_GET_PDEATHSIG, &signal_of_end);
  return signal_of_end == 0;
}

[[gnu::destructor]] void crash() {
  if (std::getenv("CRASH_AT_EXIT") && !is_first_rank()) ::raise(SIGKILL);
}

}  // namespace

extern "C" int syncfs(int descriptor) noexcept {
  if (const char* const list = std::getenv("LIST_OF_SYNCS"))
    std::ofstream(list, std::ios::app)
        << (is_first_rank() ? "first " : "other ")
        << std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(descriptor)).string() + '\n';
  return reinterpret_cast<int (*)(int)>(::dlsym(RTLD_NEXT, "syncfs"))(descriptor);
}
