#include <unistd.h>

#include <cerrno>
#include <cstring>

#include <macareu/error.hpp>

#include "engines/pieces/files/file_access.hpp"
#include "engines/pieces/wave/piece_waves.hpp"

namespace macareu::pieces {

record_file::~record_file() {
  if (!run_.keeps_files() && files_.contains(run_.rank())) ::unlink(path_of(run_.rank()).c_str());
}

std::filesystem::path record_file::path_of(int writer) const {
  auto path = path_;
  if (writer > 0) path.replace_extension(std::to_string(writer));
  return path;
}

int record_file::descriptor(int writer) {
  auto& file = files_[writer];
  if (!file.is_open()) file = open_work_file(path_of(writer), run_.resumes() || run_.is_shared());
  return file.get();
}

std::int64_t record_file::append(const void* from, std::size_t bytes) {
  // Lists of the run that is continued may belong to pieces of other ranks now, so all are kept.
  if (end_ < 0) end_ = ::lseek(descriptor(run_.rank()), 0, SEEK_END);
  if (end_ < 0) throw io_error(path_.string(), std::strerror(errno));
  const auto begin = end_;
  write_all(descriptor(run_.rank()), from, bytes, begin, path_);
  end_ += static_cast<std::int64_t>(bytes);
  run_.scratch_written += static_cast<std::int64_t>(bytes);
  return begin;
}

void record_file::read(int writer, std::int64_t offset, void* to, std::size_t bytes) {
  read_all(descriptor(writer), to, bytes, offset, path_);
  run_.scratch_read += static_cast<std::int64_t>(bytes);
}

}  // namespace macareu::pieces
