#include "core/coding/coded_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <string>
#include <utility>

#include <macareu/error.hpp>
#include <macareu/ranks.hpp>

#include "core/ceil_div.hpp"
#include "core/coding/pixel_code.hpp"
#include "core/ranks/rank_shares.hpp"

namespace macareu {
namespace {

/// Of a part: small ones, because readers decode whole parts.
constexpr std::int64_t part_rows = 64, part_columns = 256;
/// Parts that a thread decodes together.
constexpr std::size_t parts_at_once = 16;

/// Called with the file, the memory and an offset until all bytes are moved.
template <class Move, class Memory>
void move_all(const Move& move, int file, Memory memory, std::int64_t bytes, std::int64_t offset,
              const std::string& folder) {
  while (bytes > 0) {
    const auto moved = move(file, memory, static_cast<std::size_t>(bytes), offset);
    if (moved < 0 && errno == EINTR) continue;
    if (moved <= 0) {
      const bool full = moved < 0 && (errno == ENOSPC || errno == EDQUOT || errno == EFBIG);
      throw io_error("a work file in " + folder + ": " + (moved < 0 ? std::strerror(errno) : "ends early") +
                     (full ? "; choose a scratch directory with more room" : ""));
    }
    memory += moved;
    bytes -= moved;
    offset += moved;
  }
}

}  // namespace

void coded_file::use::add(std::int64_t bytes) {
  const auto after = now += bytes;
  auto most = peak.load();
  while (after > most && !peak.compare_exchange_weak(most, after)) {
  }
}

coded_file::use& coded_file::all() {
  static use total;
  return total;
}

coded_file::coded_file(const std::filesystem::path& folder, std::size_t pixel_bytes, ranks* shared_by)
    : pixel_bytes_(pixel_bytes),
      shared_by_(shared_by),
      folder_((folder.empty() ? std::filesystem::temp_directory_path() : folder).string()),
      name_((std::filesystem::path(folder_) / ".macareu-work-XXXXXX").string()) {
  file_ = ::mkostemp(name_.data(), O_CLOEXEC);
  if (file_ < 0) throw io_error(folder_ + ": " + std::strerror(errno));
  if (!shared_by_) remove_name();
}

coded_file::~coded_file() {
  remove_name();
  ::close(file_);
  for (const auto other : others_) ::close(other);
  all().add(-size_);
}

void coded_file::remove_name() {
  if (!name_.empty()) ::unlink(name_.c_str());
  name_.clear();
}

void coded_file::share() {
  if (!shared_by_) return;
  std::vector<part> own;
  own.reserve(parts_.size());
  for (const auto& [first, one] : parts_) own.push_back(one);
  const auto names = shared_by_->gather(name_);
  const auto parts = shared_by_->gather(bytes_of(own));
  for (std::size_t rank = 0; rank < names.size(); ++rank) {
    if (rank == static_cast<std::size_t>(shared_by_->rank())) continue;
    others_.push_back(::open(names[rank].c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
    if (others_.back() < 0)
      throw io_error(names[rank] + " of rank " + std::to_string(rank) + ": " + std::strerror(errno) +
                     "; choose a scratch directory that all ranks see");
    for (auto& one : numbers_in<part>(parts[rank])) {
      one.file = others_.back();
      parts_[one.where.first] = one;
    }
  }
  shared_by_->meet();  // all have opened it
  remove_name();
}

void coded_file::write(const image_region& where, const void* from, const host_threads& threads) {
  const auto bytes = static_cast<std::int64_t>(pixel_bytes_);
  const auto down = ceil_div(where.size[1], part_rows), across = ceil_div(where.size[2], part_columns);
  threads.for_each(static_cast<std::size_t>(where.size[0] * down), [&](std::size_t unit) {
    const auto z = static_cast<std::int64_t>(unit) / down,
               y = static_cast<std::int64_t>(unit) % down * part_rows;
    std::vector<std::byte> pixels, coded;
    for (std::int64_t i = 0; i < across; ++i) {
      const auto x = i * part_columns;
      part one{
          .where = {{where.first[0] + z, where.first[1] + y, where.first[2] + x},
                    {1, std::min(part_rows, where.size[1] - y), std::min(part_columns, where.size[2] - x)}}};
      const auto columns = one.where.size[2], width = columns * bytes;
      pixels.resize(static_cast<std::size_t>(one.where.size[1] * width));
      for (std::int64_t row = 0; row < one.where.size[1]; ++row)
        std::memcpy(
            pixels.data() + row * width,
            static_cast<const std::byte*>(from) + ((z * where.size[1] + y + row) * where.size[2] + x) * bytes,
            static_cast<std::size_t>(width));
      code_pixels(pixels.data(), pixel_bytes_, one.where.pixels(), columns, coded);
      put(one, coded);
    }
  });
}

void coded_file::put(part one, const std::vector<std::byte>& coded) {
  one.bytes = static_cast<std::int64_t>(coded.size());
  one.file = file_;
  {
    const std::lock_guard lock(guard_);
    auto& place = parts_[one.where.first];
    add_unused(place.offset, place.bytes);
    one.offset = take_unused(one.bytes);
    place = one;
  }
  move_all(::pwrite, file_, coded.data(), one.bytes, one.offset, folder_);
}

void coded_file::add_unused(std::int64_t offset, std::int64_t bytes) {
  if (bytes == 0) return;
  const auto join = [&](auto other) {
    offset = std::min(offset, other->first);
    bytes += other->second;
    remove_unused(other);
  };
  const auto next = unused_.lower_bound(offset);
  if (next != unused_.begin())
    if (const auto before = std::prev(next); before->first + before->second == offset) join(before);
  if (next != unused_.end() && offset + bytes == next->first) join(next);
  unused_.emplace(offset, bytes);
  unused_by_bytes_.emplace(bytes, offset);
}

std::int64_t coded_file::take_unused(std::int64_t bytes) {
  auto found = unused_.end();
  if (const auto least = unused_by_bytes_.lower_bound({bytes, 0}); least != unused_by_bytes_.end())
    found = unused_.find(least->second);
  else if (!unused_.empty() && unused_.rbegin()->first + unused_.rbegin()->second == size_)
    found = std::prev(found);
  const auto offset = found == unused_.end() ? size_ : found->first;
  const auto room = found == unused_.end() ? 0 : found->second;
  if (found != unused_.end()) remove_unused(found);
  if (room > bytes) add_unused(offset + bytes, room - bytes);
  if (const auto more = offset + bytes - size_; more > 0) {
    size_ += more;
    all().add(more);
  }
  return offset;
}

void coded_file::remove_unused(std::map<std::int64_t, std::int64_t>::iterator place) {
  unused_by_bytes_.erase({place->second, place->first});
  unused_.erase(place);
}

void coded_file::read(const image_region& where, void* to, const host_threads& threads) const {
  std::vector<part> found;
  {
    const std::lock_guard lock(guard_);
    for (auto it = parts_.lower_bound({where.first[0], where.first[1] - part_rows + 1, 0});
         it != parts_.end() && it->second.where.first[0] < end_of(where, 0); ++it) {
      const auto& own = it->second.where;
      if (own.first[0] == end_of(where, 0) - 1 && own.first[1] >= end_of(where, 1)) break;
      if (own.first[1] < end_of(where, 1) && end_of(own, 1) > where.first[1] &&
          own.first[2] < end_of(where, 2) && end_of(own, 2) > where.first[2])
        found.push_back(it->second);
    }
  }
  const auto bytes = static_cast<std::int64_t>(pixel_bytes_);
  threads.for_each(ceil_div(found.size(), parts_at_once), [&](std::size_t unit) {
    std::vector<std::byte> coded, pixels;
    for (auto i = unit * parts_at_once; i < std::min(found.size(), (unit + 1) * parts_at_once); ++i) {
      const auto& own = found[i].where;
      const auto top = std::max(where.first[1], own.first[1]), left = std::max(where.first[2], own.first[2]);
      const auto bottom = std::min(end_of(where, 1), end_of(own, 1)),
                 right = std::min(end_of(where, 2), end_of(own, 2));
      coded.resize(static_cast<std::size_t>(found[i].bytes));
      move_all(::pread, found[i].file, coded.data(), found[i].bytes, found[i].offset, folder_);
      const auto slice = (own.first[0] - where.first[0]) * where.size[1];
      auto* const out = static_cast<std::byte*>(to) +
                        ((slice + top - where.first[1]) * where.size[2] + left - where.first[2]) * bytes;
      if (bottom - top == own.size[1] && right - left == own.size[2]) {
        decode_pixels(coded, pixel_bytes_, own.pixels(), own.size[2], where.size[2], out);
        continue;
      }
      pixels.resize(static_cast<std::size_t>(own.pixels() * bytes));
      decode_pixels(coded, pixel_bytes_, own.pixels(), own.size[2], own.size[2], pixels.data());
      for (auto y = top; y < bottom; ++y)
        std::memcpy(out + (y - top) * where.size[2] * bytes,
                    pixels.data() + ((y - own.first[1]) * own.size[2] + left - own.first[2]) * bytes,
                    static_cast<std::size_t>((right - left) * bytes));
    }
  });
}

}  // namespace macareu
