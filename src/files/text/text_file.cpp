#include <macareu/text_file.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <deque>
#include <fstream>
#include <future>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <macareu/error.hpp>

#include "files/format.hpp"
#include "files/output.hpp"
#include "files/pending_file.hpp"
#include "files/text/text.hpp"

#ifdef MACAREU_WITH_ZLIB
#include <zlib.h>
#endif

namespace macareu {
namespace {

namespace fs = std::filesystem;

#ifdef MACAREU_WITH_ZLIB

/// Part of a text, compressed alone: raw deflate that ends on a byte, so that parts can be put together.
struct packed_part {
  std::vector<Bytef> bytes;
  uLong checksum = 0;
  std::size_t size = 0;
};

packed_part pack(const std::string& text, int flush) {
  constexpr int level = 4, window = -15, memory = 9;  // negative window bits: no header
  z_stream stream{};
  if (deflateInit2(&stream, level, Z_DEFLATED, window, memory, Z_DEFAULT_STRATEGY) != Z_OK)
    throw std::bad_alloc();
  packed_part part;
  part.size = text.size();
  part.bytes.resize(deflateBound(&stream, static_cast<uLong>(text.size())) + 16);
  const auto* from = reinterpret_cast<const Bytef*>(text.data());
  stream.next_in = const_cast<Bytef*>(from);
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = part.bytes.data();
  stream.avail_out = static_cast<uInt>(part.bytes.size());
  deflate(&stream, flush);
  part.bytes.resize(part.bytes.size() - stream.avail_out);
  deflateEnd(&stream);
  part.checksum = crc32(0, from, static_cast<uInt>(text.size()));
  return part;
}

/// One gzip member whose parts are compressed on several threads. Its bytes do not depend on their number.
class gzip_stream {
 public:
  gzip_stream(files::output& to, int threads) : to_(to), threads_(static_cast<std::size_t>(threads)) {
    constexpr std::array<char, 10> header{0x1f, char(0x8b), 8, 0, 0, 0, 0, 0, 0, 3};
    to_.write(header.data(), header.size());
  }
  gzip_stream(const gzip_stream&) = delete;
  gzip_stream& operator=(const gzip_stream&) = delete;

  void write(std::string_view text) {
    while (!text.empty()) {
      const auto now = text.substr(0, part_size - waiting_.size());
      waiting_ += now;
      text.remove_prefix(now.size());
      if (waiting_.size() == part_size) send(Z_SYNC_FLUSH);
    }
  }
  void end() {
    send(Z_FINISH);
    while (!packing_.empty()) take();
    std::array<unsigned char, 8> tail{};
    for (std::size_t i = 0; i < 4; ++i) {
      tail[i] = static_cast<unsigned char>(checksum_ >> 8 * i);
      tail[4 + i] = static_cast<unsigned char>(size_ >> 8 * i);
    }
    to_.write(tail.data(), tail.size());
  }

 private:
  static constexpr std::size_t part_size = std::size_t{1} << 20;

  void send(int flush) {
    const auto how = threads_ > 1 ? std::launch::async : std::launch::deferred;
    if (packing_.size() >= threads_) take();
    packing_.push_back(std::async(how, [text = std::move(waiting_), flush] { return pack(text, flush); }));
    waiting_.clear();
  }
  void take() {
    const auto part = packing_.front().get();
    packing_.pop_front();
    to_.write(part.bytes.data(), part.bytes.size());
    checksum_ = crc32_combine(checksum_, part.checksum, static_cast<z_off_t>(part.size));
    size_ += part.size;
  }

  files::output& to_;
  std::size_t threads_;
  std::string waiting_;
  std::deque<std::future<packed_part>> packing_;
  uLong checksum_ = 0;
  std::uint64_t size_ = 0;
};

/// A text file that may be compressed.
class text_input {
 public:
  explicit text_input(const fs::path& file) : file_(gzopen(file.c_str(), "rb")) {}
  ~text_input() {
    if (file_) gzclose(file_);
  }
  text_input(const text_input&) = delete;
  text_input& operator=(const text_input&) = delete;

  bool is_open() const { return file_ != nullptr; }
  /// The bytes that were read; 0 at the end, negative on failure.
  int read(std::span<char> to) { return gzread(file_, to.data(), static_cast<unsigned>(to.size())); }
  bool complete() { return gzclose_r(std::exchange(file_, nullptr)) == Z_OK; }

 private:
  gzFile file_;
};

#else

/// Plain text alone.
class text_input {
 public:
  explicit text_input(const fs::path& file) : file_(file, std::ios::binary) {}
  bool is_open() const { return file_.is_open(); }
  int read(std::span<char> to) {
    file_.read(to.data(), std::ssize(to));
    return file_.bad() ? -1 : static_cast<int>(file_.gcount());
  }
  bool complete() const { return true; }

 private:
  std::ifstream file_;
};

/// Never made: names that end in .gz are refused.
struct gzip_stream {
  gzip_stream(files::output& to, int) {
    throw usage_error(to.name().string(), "this build has no zlib to compress: leave out .gz");
  }
  void write(std::string_view) {}
  void end() {}
};

#endif

}  // namespace

struct text_file::state {
  state(const fs::path& file, int threads) {
    if (!files::is_stream_destination(file)) pending.emplace(file);
    out.emplace(pending ? pending->path() : file, file);
    if (files::lower(file.string()).ends_with(".gz")) packed.emplace(*out, std::max(threads, 1));
  }

  std::optional<files::pending_file> pending;
  std::optional<files::output> out;
  std::optional<gzip_stream> packed;
};

text_file::text_file(const fs::path& file, int threads) : state_(std::make_unique<state>(file, threads)) {}
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

void read_text(const fs::path& file, const std::function<void(std::string_view)>& take) {
  errno = 0;
  text_input in(file);
  if (!in.is_open()) throw io_error(file.string(), std::strerror(errno));
  std::vector<char> part(std::size_t{1} << 18);
  int got = 0;
  while ((got = in.read(part)) > 0) take({part.data(), static_cast<std::size_t>(got)});
  if (got < 0 || !in.complete()) throw io_error(file.string(), "cannot be read, or is damaged");
}

void read_lines(const fs::path& file, const std::function<void(std::string_view)>& take) {
  std::string kept;
  const auto take_line = [&](std::string_view line) {
    if (line.ends_with('\r')) line.remove_suffix(1);
    take(line);
  };
  read_text(file, [&](std::string_view part) {
    for (auto end = part.find('\n'); end != std::string_view::npos; end = part.find('\n')) {
      kept += part.substr(0, end);
      take_line(kept);
      kept.clear();
      part.remove_prefix(end + 1);
    }
    kept += part;
  });
  if (!kept.empty()) take_line(kept);
}

}  // namespace macareu
