#include "engines/pieces/files/rank_files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <vector>

#include <macareu/error.hpp>
#include <macareu/ranks.hpp>

#include "core/ranks/rank_shares.hpp"
#include "engines/pieces/files/file_access.hpp"

namespace macareu::pieces {

std::filesystem::path rank_files::path_of(int writer) const {
  auto path = name_;
  return path += std::to_string(writer) + ".found";
}

std::int64_t rank_files::add(const void* from, std::size_t bytes) {
  const auto begin = end_, size = static_cast<std::int64_t>(bytes);
  if (bytes > 0) {
    const auto path = path_of(run_.rank());
    write_all(open_work_file(path, true).get(), from, bytes, begin, path);
  }
  end_ += size;
  run_.scratch_written += size;
  return begin;
}

void rank_files::read(int writer, std::int64_t offset, void* to, std::size_t bytes) const {
  if (bytes == 0) return;
  const auto path = path_of(writer);
  const auto end = offset + static_cast<std::int64_t>(bytes);
  const unique_descriptor file(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  if (!file.is_open() && errno != ENOENT) throw io_error(path.string(), std::strerror(errno));
  struct stat about {};
  if (!file.is_open() || ::fstat(file.get(), &about) != 0 || about.st_size < end)
    throw io_error(path.string(),
                   "of " + std::to_string(end) + " bytes that rank " + std::to_string(writer) + " wrote, " +
                       std::to_string(about.st_size) +
                       " are there; choose a scratch directory whose files all ranks see at once");
  read_all(file.get(), to, bytes, offset, path);
  run_.scratch_read += static_cast<std::int64_t>(bytes);
}

void rank_files::remove() const {
  run_.all_ranks().meet();
  if (end_ > 0) ::unlink(path_of(run_.rank()).c_str());
}

void gather_in_files(run& of, std::string_view own, function_ref<void(std::string_view)> take) {
  auto& all = of.all_ranks();
  rank_files files(of, of.name_of_pass());
  files.add(own.data(), own.size());
  const auto sizes = all.gather(macareu::bytes_of(std::vector<std::uint64_t>{own.size()}));
  std::string bytes;
  for (int rank = 0; rank < all.size(); ++rank) {
    bytes.resize(macareu::numbers_in<std::uint64_t>(sizes[static_cast<std::size_t>(rank)])[0]);
    if (rank != all.rank()) files.read(rank, 0, bytes.data(), bytes.size());
    take(rank == all.rank() ? own : bytes);
  }
  files.remove();
}

}  // namespace macareu::pieces
