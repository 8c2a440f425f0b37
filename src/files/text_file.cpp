#include <macareu/text_file.hpp>

#include <array>
#include <limits>
#include <optional>
#include <utility>

#include <macareu/error.hpp>

#include "format.hpp"
#include "output.hpp"
#include "pending_file.hpp"
#include "text.hpp"

#ifdef MACAREU_WITH_ZLIB
#include <zlib.h>
#endif

namespace macareu {
namespace {

namespace fs = std::filesystem;

#ifdef MACAREU_WITH_ZLIB

class gzip_stream {
 public:
  explicit gzip_stream(files::output& to) : to_(to) {
    constexpr int level = 6, window = 15 + 16, memory = 8;  // 16 added to the window bits: gzip
    if (deflateInit2(&stream_, level, Z_DEFLATED, window, memory, Z_DEFAULT_STRATEGY) != Z_OK)
      throw io_error(to.name().string() + ": zlib cannot be initialised");
  }
  ~gzip_stream() { deflateEnd(&stream_); }
  gzip_stream(const gzip_stream&) = delete;
  gzip_stream& operator=(const gzip_stream&) = delete;

  void write(std::string_view text) {
    while (!text.empty()) {
      const auto part = text.substr(0, std::size_t{1} << 30);
      stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(part.data()));
      stream_.avail_in = static_cast<uInt>(part.size());
      while (stream_.avail_in > 0) pack(Z_NO_FLUSH);
      text.remove_prefix(part.size());
    }
  }
  void end() {
    while (pack(Z_FINISH) != Z_STREAM_END) {
    }
  }

 private:
  int pack(int flush) {
    stream_.next_out = packed_.data();
    stream_.avail_out = static_cast<uInt>(packed_.size());
    const int code = deflate(&stream_, flush);
    to_.write(packed_.data(), packed_.size() - stream_.avail_out);
    return code;
  }

  files::output& to_;
  z_stream stream_{};
  std::array<Bytef, 1 << 16> packed_{};
};

#else

/// Never made: names that end in .gz are refused.
struct gzip_stream {
  explicit gzip_stream(files::output& to) {
    throw usage_error(to.name().string() + ": this build has no zlib to compress: leave out .gz");
  }
  void write(std::string_view) {}
  void end() {}
};

#endif

}  // namespace

struct text_file::state {
  explicit state(const fs::path& file) {
    if (!files::is_stream_destination(file)) pending.emplace(file);
    out.emplace(pending ? pending->path() : file, file);
    if (files::lower(file.string()).ends_with(".gz")) packed.emplace(*out);
  }

  std::optional<files::pending_file> pending;
  std::optional<files::output> out;
  std::optional<gzip_stream> packed;
};

text_file::text_file(const fs::path& file) : state_(std::make_unique<state>(file)) {}
text_file::~text_file() = default;

void text_file::write(std::string_view text) {
  if (state_->packed)
    state_->packed->write(text);
  else
    state_->out->write(text);
}

void text_file::commit() {
  if (state_->packed) state_->packed->end();
  state_->out->close();
  if (state_->pending) state_->pending->commit();
}

}  // namespace macareu
