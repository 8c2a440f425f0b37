// Chooses how a file is read or written by regions.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <utility>
#include <vector>

#include <macareu/error.hpp>
#include <macareu/sources.hpp>

#include "files/format.hpp"
#include "sinks.hpp"
#include "stored_source.hpp"
#include "zarr.hpp"

namespace macareu {
namespace files {
namespace {

namespace fs = std::filesystem;

/// Collects pixels in a scratch file and opens them.
class spool {
 public:
  spool(const fs::path& directory, const fs::path& name)
      : file_(random_file::scratch(directory, name.string())) {}

  void append(std::span<const std::byte> bytes) {
    if (bytes.size() >= capacity) {
      flush();
      write(bytes);
      return;
    }
    if (buffer_.size() + bytes.size() > capacity) flush();
    buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
  }
  take_pixels taker() {
    return [this](std::span<const std::byte> bytes) { append(bytes); };
  }

  /// Keeps the first channel alone.
  void keep_first_channel(source_form& form) {
    flush();
    const auto value = size_of(form.type);
    const auto pixel = value * static_cast<std::size_t>(form.channels);
    const auto total = std::exchange(size_, 0);
    std::vector<std::byte> part((std::size_t{1} << 20) / pixel * pixel);
    // What is written never overtakes what is read.
    for (std::uint64_t done = 0; done < total;) {
      const auto now =
          std::span(part).first(static_cast<std::size_t>(std::min<std::uint64_t>(total - done, part.size())));
      file_.read(done, now);
      done += now.size();
      for (std::size_t i = 0; i < now.size() / pixel; ++i)
        std::memmove(&now[i * value], &now[i * pixel], value);
      write(now.first(now.size() / pixel * value));
    }
    file_.truncate(size_);
    form.channels = 1;
  }

  std::unique_ptr<image_source> opened(const pixel_layout& layout, const metadata& info,
                                       std::vector<random_file> named_by) {
    flush();
    file_.truncate(size_);
    for (const auto& file : named_by) file.require_unchanged();
    return std::make_unique<stored_source>(std::move(file_), 0, layout, info, std::move(named_by));
  }

 private:
  static constexpr std::size_t capacity = std::size_t{1} << 20;

  void flush() {
    write(buffer_);
    buffer_.clear();
  }
  void write(std::span<const std::byte> bytes) {
    file_.write(size_, bytes);
    size_ += bytes.size();
  }

  random_file file_;
  std::uint64_t size_ = 0;
  std::vector<std::byte> buffer_;
};

/// A layout of pixels as decoders give them.
pixel_layout decoded(const source_form& form) {
  return {.type = form.type, .shape = form.shape, .channels = form.channels, .order = std::endian::native};
}

std::unique_ptr<image_source> open_stored(input& file, const stored_image& stored, const fs::path& scratch,
                                          std::vector<random_file> named_by) {
  std::optional<input> detached;
  auto& data = at_pixels(file, stored, detached);
  if (detached && !named_by.empty()) named_by.push_back(random_file::open(data.path(), data.name()));
  auto layout = stored.layout;
  if (layout.coding == encoding::raw) {
    require_pixels(data, layout);
    return std::make_unique<stored_source>(random_file::open(data.path(), data.name()), data.offset(), layout,
                                           stored.info, std::move(named_by));
  }
  spool pixels(scratch, data.name());
  decode_in_parts(data, layout, pixels.taker());
  layout.coding = encoding::raw;
  layout.order = std::endian::native;
  return pixels.opened(layout, stored.info, std::move(named_by));
}

std::unique_ptr<image_source> open_regular(const fs::path& path, const fs::path& name,
                                           const read_options& options, const fs::path& scratch,
                                           std::vector<random_file> named_by) {
  input file(path, name);
  const auto* found = format_to_read(file, options);
  if (found && found->locate)
    return open_stored(file, found->locate(file, options), scratch, std::move(named_by));
  if (!found)
    if (auto source = open_with_vips(path, options)) return source;
  spool pixels(scratch, name);
  source_form form;
  if (!found) {
    const auto picture = decode_with_vips(path, options, pixels.taker());
    form = picture.form;
    if (picture.grey) pixels.keep_first_channel(form);
  } else if (found->decode) {
    form = found->decode(file, pixels.taker());
  } else {
    const auto [all, info] = found->read(file, options);
    form = {all.type(), all.shape(), all.channels(), info};
    pixels.append({static_cast<const std::byte*>(all.data()), all.bytes()});
  }
  return pixels.opened(decoded(form), form.info, std::move(named_by));
}

/// A copy of a pipe or device under a name of its own, so that formats can open it.
class stream_copy {
 public:
  stream_copy(const fs::path& stream, const fs::path& directory) : path_(scratch_name(directory)) {
    const int descriptor = ::mkostemp(path_.data(), O_CLOEXEC);
    if (descriptor < 0) throw io_error(path_, std::strerror(errno));
    ::close(descriptor);
    try {
      fill_from(stream);
    } catch (...) {
      ::unlink(path_.c_str());
      throw;
    }
  }
  ~stream_copy() { ::unlink(path_.c_str()); }
  stream_copy(const stream_copy&) = delete;
  stream_copy& operator=(const stream_copy&) = delete;

  fs::path path() const { return path_; }

 private:
  void fill_from(const fs::path& stream) {
    std::ifstream from(stream, std::ios::binary);
    if (!from) throw io_error(stream.string(), std::strerror(errno));
    output to(path_, stream);
    std::vector<char> part(std::size_t{1} << 20);
    while (from) {
      from.read(part.data(), std::ssize(part));
      to.write(part.data(), static_cast<std::size_t>(from.gcount()));
    }
    if (from.bad()) throw io_error(stream.string(), "cannot be read");
    to.close();
  }

  std::string path_;
};

}  // namespace
}  // namespace files

std::unique_ptr<image_source> open_source(const std::filesystem::path& file, const read_options& options,
                                          const std::filesystem::path& scratch) {
  using namespace files;
  std::error_code ignored;
  const auto status = fs::status(file, ignored);
  if (fs::is_directory(status)) return open_zarr(file, options);
  if (!fs::exists(status) || fs::is_regular_file(status)) {
    std::vector<random_file> named_by;
    named_by.push_back(random_file::open(file, file));
    return open_regular(file, file, options, scratch, std::move(named_by));
  }
  const stream_copy copy(file, scratch);
  return open_regular(copy.path(), file, options, scratch, {});
}

std::unique_ptr<image_sink> create_sink(const std::filesystem::path& file, const source_form& form,
                                        const sink_options& given) {
  files::remove_leftovers(file);
  if (files::is_zarr_name(file)) return files::create_zarr(file, form, given);
  const auto& format = files::format_to_write(file, form);
  if (given.pyramid && (!format.holds.pyramids || form.shape.rank() == 3))
    throw usage_error(file.string() +
                      ": a pyramid is written for images as .tif, and for volumes too as .ome.zarr");
  const bool stream = files::is_stream_destination(file);
  if (format.header && !stream) return std::make_unique<files::stored_sink>(file, form, format.header(form));
  auto options = given;
  if (options.scratch.empty() && !stream) options.scratch = file.has_parent_path() ? file.parent_path() : ".";
  return std::make_unique<files::staged_sink>(format, file, form, options);
}

}  // namespace macareu
