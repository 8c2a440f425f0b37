#include "engines/pieces/files/split_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <system_error>
#include <vector>

#include <macareu/error.hpp>

#include "core/ranks/rank_shares.hpp"
#include "engines/pieces/files/file_access.hpp"
#include "engines/pieces/files/store.hpp"

namespace macareu::pieces {

std::optional<site> chunk_files_of(const image_sink& sink) {
  if (!sink.has_chunk_files()) return std::nullopt;
  const auto chunk = sink.chunk();
  return site{chunk[0], chunk[1], chunk[2]};
}

split_file::split_file(std::filesystem::path folder, const piece_grid& grid, std::size_t pixel_bytes)
    : folder_(std::move(folder)), grid_(grid), pixel_bytes_(pixel_bytes) {
  if (::mkdir(folder_.c_str(), 0700) != 0 && errno != EEXIST)
    throw io_error(folder_.string() + ": " + std::strerror(errno));
}

namespace {

/// transfer(offset, parts) for parts of the pixels that follow each other in a file of an image in C order.
template <class Transfer>
void over_joined_parts(const block& pixels, const box& image, const Transfer& transfer) {
  std::vector<iovec> parts;
  std::int64_t begin = 0, end = 0;
  over_parts(pixels, image, [&](std::int64_t offset, std::byte* memory, std::int64_t bytes) {
    if (offset != end && !parts.empty()) transfer(begin, std::exchange(parts, {}));
    if (parts.empty()) begin = offset;
    parts.push_back({memory, static_cast<std::size_t>(bytes)});
    end = offset + bytes;
  });
  if (!parts.empty()) transfer(begin, std::move(parts));
}

}  // namespace

void split_file::write(const block& pixels) const {
  grid_.for_each_in(pixels.where, [&](std::int64_t piece) {
    const auto path = path_of(piece);
    const auto file = open_work_file(path, true);
    over_joined_parts(pixels.part(common(pixels.where, grid_.piece(piece))), in_file(piece),
                      [&](std::int64_t offset, std::vector<iovec> from) {
                        write_all(file.get(), std::move(from), offset, path);
                      });
  });
}

void split_file::read(const block& to) const {
  grid_.for_each_in(to.where, [&](std::int64_t piece) {
    const auto path = path_of(piece);
    const unique_descriptor file(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
    if (!file.is_open()) throw io_error(path.string(), std::strerror(errno));
    over_joined_parts(to.part(common(to.where, grid_.piece(piece))), in_file(piece),
                      [&](std::int64_t offset, std::vector<iovec> memory) {
                        read_all(file.get(), std::move(memory), offset, path);
                      });
  });
}

void split_file::become_chunks(image_sink& of, ranks* shared_by, function_ref<void()> check) const {
  const auto region = [&](std::int64_t piece) { return region_of(grid_.piece(piece)); };
  const auto pixels_of_file = static_cast<std::uintmax_t>(grid_.size().z * grid_.size().y * grid_.size().x);
  const auto memory = std::make_shared<block_memory>();
  const auto own = share_of(shared_by, grid_.count());
  bool can_link = true;
  for (auto piece = own.first; piece < own.end; ++piece) {
    check();
    if (can_link) {
      const auto file = path_of(piece);
      std::error_code error;
      std::filesystem::resize_file(file, pixels_of_file * pixel_bytes_, error);  // also beyond the image
      if (error) throw io_error(file.string(), error.message());
      can_link = of.link_chunk(region(piece), file);
    }
    if (can_link) continue;
    const block pixels(*memory, grid_.piece(piece), pixel_bytes_);
    read(pixels);
    of.write(region(piece), pixels.first);
  }
  if (!shared_by) return;
  shared_by->meet();
  if (shared_by->rank() > 0) return;
  for (auto piece = own.end; piece < grid_.count(); ++piece)
    if (!of.was_written(region(piece))) throw no_pixels_of_others();
}

}  // namespace macareu::pieces
