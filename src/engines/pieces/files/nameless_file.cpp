#include "engines/pieces/files/nameless_file.hpp"

#include <unistd.h>

namespace macareu::pieces {

nameless_file::nameless_file(run& of) : run_(of), name_(of.nameless_file()) {
  ::unlink(name_.c_str());  // of a run that was killed before it could
  file_ = open_work_file(name_, false);
  ::unlink(name_.c_str());
}

nameless_file::place nameless_file::add(std::string_view bytes) {
  const place at{end_, bytes.size()};
  write_all(descriptor(), bytes.data(), bytes.size(), end_, name_);
  end_ += static_cast<std::int64_t>(bytes.size());
  run_.scratch_written += static_cast<std::int64_t>(bytes.size());
  return at;
}

std::string nameless_file::read(const place& at) const {
  std::string bytes(at.bytes, '\0');
  read_all(descriptor(), bytes.data(), bytes.size(), at.offset, name_);
  run_.scratch_read += static_cast<std::int64_t>(bytes.size());
  return bytes;
}

}  // namespace macareu::pieces
