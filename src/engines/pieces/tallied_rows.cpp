#include "engines/pieces/tallied_rows.hpp"

#include <fcntl.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include <macareu/error.hpp>

#include "engines/pieces/files/nameless_file.hpp"
#include "engines/pieces/tuning.hpp"

namespace macareu::pieces {

const std::size_t object_memory::most_pages =
    static_cast<std::size_t>(tuning::bytes_of_mapped_rows) / object_memory::page;

object_memory::object_memory(run& of, std::size_t bytes, std::size_t most) : run_(of), bytes_(bytes) {
  if (of.plans) ++of.shares;
  if (!of.plans && of.is_large(static_cast<std::int64_t>(bytes))) {
    map_file();
    return;
  }
  held_ = most;
  if (!of.plans) of.held += static_cast<std::int64_t>(held_);
  allocate();
}

object_memory::object_memory(run& of, std::size_t bytes, rows_in place) : run_(of), bytes_(bytes) {
  place == rows_in::memory ? allocate() : map_file();
}

void object_memory::allocate() {
  own_ = std::make_unique_for_overwrite<std::byte[]>(bytes_);
  data_ = own_.get();
}

void object_memory::map_file() {
  const nameless_file file(run_);
  // A page that the disk has no room for would end the process.
  const int failed = ::posix_fallocate(file.descriptor(), 0, static_cast<off_t>(bytes_));
  void* const mapped =
      failed ? MAP_FAILED : ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, file.descriptor(), 0);
  const int error = failed ? failed : errno;
  if (mapped == MAP_FAILED) throw io_error(file.name().string(), std::strerror(error));
  data_ = static_cast<std::byte*>(mapped);
  run_.scratch_written += static_cast<std::int64_t>(bytes_);
}

object_memory::object_memory(object_memory&& other) noexcept
    : run_(other.run_),
      own_(std::move(other.own_)),
      data_(std::exchange(other.data_, nullptr)),
      bytes_(other.bytes_),
      held_(other.held_),
      last_page_(other.last_page_),
      pages_(other.pages_) {}

object_memory::~object_memory() {
  if (!data_) return;
  if (run_.plans)
    --run_.shares;
  else if (own_)
    run_.held -= static_cast<std::int64_t>(held_);
  else
    ::munmap(data_, bytes_);
}

void object_memory::release() const {
  pages_ = 0;
  if (!own_) ::madvise(data_, bytes_, MADV_DONTNEED);
}

}  // namespace macareu::pieces
