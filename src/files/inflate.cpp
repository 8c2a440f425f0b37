#include <algorithm>
#include <array>
#include <limits>

#include "pixel_data.hpp"

#ifdef MACAREU_WITH_ZLIB
#include <zlib.h>
#endif

namespace macareu::files {

#ifdef MACAREU_WITH_ZLIB

struct inflater::state {
  input& file;
  std::uint64_t total;
  std::uint64_t done = 0;
  bool ended = false;
  z_stream stream{};
  std::array<Bytef, 1 << 16> packed{};
};

inflater::inflater(input& file, std::uint64_t total) : state_(new state{.file = file, .total = total}) {
  // 32 added to the window bits: zlib detects gzip and zlib streams.
  if (inflateInit2(&state_->stream, 15 + 32) != Z_OK) file.fail("zlib cannot be initialised");
}

inflater::~inflater() { inflateEnd(&state_->stream); }

void inflater::read(std::span<std::byte> to) {
  auto& [file, total, done, ended, stream, packed] = *state_;
  while (!to.empty()) {
    if (stream.avail_in == 0) {
      stream.avail_in = static_cast<uInt>(file.read_some(packed.data(), packed.size()));
      stream.next_in = packed.data();
      if (stream.avail_in == 0)
        file.fail("the file ends after " + std::to_string(done) + " of " + std::to_string(total) +
                  " bytes of pixels");
    }
    const auto room = std::min<std::size_t>(to.size(), std::numeric_limits<uInt>::max());
    stream.next_out = reinterpret_cast<Bytef*>(to.data());
    stream.avail_out = static_cast<uInt>(room);
    const int status = inflate(&stream, Z_NO_FLUSH);
    to = to.subspan(room - stream.avail_out);
    done += room - stream.avail_out;
    if (status != Z_OK && status != Z_STREAM_END)
      file.fail(std::string("the compressed pixels are damaged: ") +
                (stream.msg ? stream.msg : zError(status)));
    ended = status == Z_STREAM_END;
    if (ended && done < total)
      file.fail("the compressed pixels end after " + std::to_string(done) + " of " + std::to_string(total) +
                " bytes");
  }
}

void inflater::require_end() {
  auto& [file, total, done, ended, stream, packed] = *state_;
  Bytef next = 0;
  stream.next_out = &next;
  stream.avail_out = 1;
  int status = ended ? Z_STREAM_END : Z_OK;
  while (status == Z_OK && stream.avail_out == 1) {
    if (stream.avail_in == 0) {
      stream.avail_in = static_cast<uInt>(file.read_some(packed.data(), packed.size()));
      stream.next_in = packed.data();
      if (stream.avail_in == 0) file.fail("the compressed pixels do not end");
    }
    status = inflate(&stream, Z_NO_FLUSH);
  }
  if (stream.avail_out == 0)
    file.fail("the compressed pixels go on after " + std::to_string(done) + " bytes");
  if (status != Z_STREAM_END)
    file.fail(std::string("the compressed pixels are damaged: ") +
              (stream.msg ? stream.msg : zError(status)));
}

#else

struct inflater::state {};

inflater::inflater(input& file, std::uint64_t) {
  file.fail("the pixels are compressed, and this build has no zlib to read them");
}

inflater::~inflater() = default;

void inflater::read(std::span<std::byte>) {}

void inflater::require_end() {}

#endif

}  // namespace macareu::files
