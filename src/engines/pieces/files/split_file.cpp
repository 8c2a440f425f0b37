#include "engines/pieces/files/split_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>

#include <macareu/error.hpp>

#include "engines/pieces/files/file_access.hpp"

namespace macareu::pieces {

split_file::split_file(std::filesystem::path folder, const piece_grid& grid, std::size_t pixel_bytes)
    : folder_(std::move(folder)), grid_(grid), pixel_bytes_(pixel_bytes) {
  if (::mkdir(folder_.c_str(), 0700) != 0 && errno != EEXIST)
    throw io_error(folder_.string() + ": " + std::strerror(errno));
}

void split_file::write(const block& pixels) const {
  grid_.for_each_in(pixels.where, [&](std::int64_t piece) {
    const auto path = path_of(piece);
    const auto place = grid_.piece(piece);
    const auto file = open_work_file(path, true);
    over_parts(pixels.part(common(pixels.where, place)), place,
               [&](std::int64_t offset, const std::byte* from, std::int64_t bytes) {
                 write_all(file.get(), from, static_cast<std::size_t>(bytes), offset, path);
               });
  });
}

void split_file::read(const block& to) const {
  grid_.for_each_in(to.where, [&](std::int64_t piece) {
    const auto path = path_of(piece);
    const auto place = grid_.piece(piece);
    const unique_descriptor file(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
    if (!file.is_open()) throw io_error(path.string(), std::strerror(errno));
    over_parts(to.part(common(to.where, place)), place,
               [&](std::int64_t offset, std::byte* memory, std::int64_t bytes) {
                 read_all(file.get(), memory, static_cast<std::size_t>(bytes), offset, path);
               });
  });
}

}  // namespace macareu::pieces
