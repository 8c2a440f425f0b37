#include <algorithm>
#include <array>
#include <limits>

#include "pixel_data.hpp"

#ifdef MACAREU_WITH_ZLIB
#include <zlib.h>
#endif

namespace macareu::files {

#ifdef MACAREU_WITH_ZLIB

void read_deflated(input& file, std::span<std::byte> pixels) {
  z_stream stream{};
  // 32 added to the window bits: zlib detects gzip and zlib streams.
  if (inflateInit2(&stream, 15 + 32) != Z_OK) file.fail("zlib cannot be initialised");
  struct guard {
    z_stream& stream;
    ~guard() { inflateEnd(&stream); }
  } at_end{stream};

  std::array<Bytef, 1 << 16> packed;
  std::size_t done = 0;
  while (done < pixels.size()) {
    if (stream.avail_in == 0) {
      stream.avail_in = static_cast<uInt>(file.read_some(packed.data(), packed.size()));
      stream.next_in = packed.data();
      if (stream.avail_in == 0)
        file.fail("the file ends after " + std::to_string(done) + " of " + std::to_string(pixels.size()) +
                  " bytes of pixels");
    }
    const auto room = std::min<std::size_t>(pixels.size() - done, std::numeric_limits<uInt>::max());
    stream.next_out = reinterpret_cast<Bytef*>(pixels.data() + done);
    stream.avail_out = static_cast<uInt>(room);
    const int status = inflate(&stream, Z_NO_FLUSH);
    done += room - stream.avail_out;
    if (status != Z_OK && status != Z_STREAM_END)
      file.fail(std::string("the compressed pixels are damaged: ") +
                (stream.msg ? stream.msg : zError(status)));
    if (status == Z_STREAM_END && done < pixels.size())
      file.fail("the compressed pixels end after " + std::to_string(done) + " of " +
                std::to_string(pixels.size()) + " bytes");
  }
}

#else

void read_deflated(input& file, std::span<std::byte>) {
  file.fail("the pixels are compressed, and this build has no zlib to read them");
}

#endif

}  // namespace macareu::files
