// Images that are read and written region by region: files, or what a program implements itself. Operators
// use them for images larger than memory (pieces.hpp).
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include <macareu/files.hpp>
#include <macareu/image.hpp>

namespace macareu {

/// A box of pixels in array order: slice, row, column. Images have one slice.
struct image_region {
  std::array<std::int64_t, 3> first{}, size{};

  std::int64_t pixels() const { return size[0] * size[1] * size[2]; }
  bool operator==(const image_region&) const = default;
};

/// The region of all pixels.
image_region whole_of(const extents& shape);

/// The form of an image: all but its pixels.
struct source_form {
  dtype type = dtype::u8;
  extents shape;
  int channels = 1;
  metadata info = {};
};

/// An image to read. Functions are called by one thread at a time, but while another one calls a sink.
class image_source {
 public:
  virtual ~image_source() = default;
  virtual const source_form& form() const = 0;
  /// The box of pixels that is cheapest to read, such as a tile of the file; 0 where an axis does not matter.
  virtual std::array<std::int64_t, 3> chunk() const { return {}; }
  /// Copies a region to `to`, in C order without gaps, channels interleaved. bool is 0 or 1.
  virtual void read(const image_region& from, void* to) = 0;
  /// Names the content: two sources with the same text have the same pixels. Empty if that is not known, as
  /// of a pipe. Used to resume a run.
  virtual std::string identity() const { return {}; }
};

/// An image to write. Functions are called by one thread at a time. Nothing is visible under the final name
/// before commit(); without it the destructor removes what was written.
class image_sink {
 public:
  virtual ~image_sink() = default;
  /// The box of pixels that is written as a whole, such as a chunk of the file; 0 where an axis does not
  /// matter. Regions are multiples of it, except at the end of the image.
  virtual std::array<std::int64_t, 3> chunk() const { return {}; }
  /// Sinks that must be written in raster order get bands of whole rows, from the first to the last.
  virtual bool in_order() const { return false; }
  /// If the file is a header and all pixels in C order: the header. A finished file of that form can then be
  /// adopted instead of being written. It is renamed, or copied from another file system.
  virtual std::optional<std::string> header() const { return std::nullopt; }
  virtual void adopt(const std::filesystem::path& /*file*/) {}
  /// Whether each chunk is a file with its pixels in C order and nothing else. Those at the end of the image
  /// reach beyond it.
  virtual bool has_chunk_files() const { return false; }
  /// Gives such a file, which keeps its own name, the name of a chunk, and the output's permissions. Returns
  /// false where that is not possible, such as on another file system: the chunk has to be written then.
  virtual bool link_chunk(const image_region& /*chunk*/, const std::filesystem::path& /*file*/) {
    return false;
  }
  /// Every pixel is written exactly once.
  virtual void write(const image_region& to, const void* from) = 0;
  virtual void commit() = 0;
  /// Whether an earlier process wrote the region to the same unfinished output. It then counts as written.
  virtual bool was_written(const image_region& /*region*/) { return false; }
};

/// An image in memory, which must outlive the source or sink.
std::unique_ptr<image_source> source_of(const const_image_view& pixels);
std::unique_ptr<image_sink> sink_to(const image_view& pixels);

/// Opens a file for reading by regions. Throws io_error, also if the file changes while it is read. Formats
/// without random access (PNG, JPEG, gzip) are read once into a file in `scratch`, which has no name and
/// disappears with the source. Without `scratch` it lies in the directory for temporary files.
std::unique_ptr<image_source> open_source(const std::filesystem::path& file, const read_options& options = {},
                                          const std::filesystem::path& scratch = {});

struct sink_options {
  /// The directory of work files, for formats that are written front to back. Empty: that of the output, and
  /// for pipes that of temporary files.
  std::filesystem::path scratch = {};
  /// Smaller levels beside the image, each half of the one before: .tif and .ome.zarr.
  bool pyramid = false;
  /// Of smaller levels in .tif, while they wait for the largest one. More are in temporary files.
  std::int64_t levels_in_memory = std::int64_t{128} << 20;
  /// Values are names: smaller levels take one pixel of four, not their mean. Always so for bool, and for
  /// integers of 64 bits.
  bool labels = false;
  /// The file lies in a folder of this run alone. A Zarr directory is written in place there, and keeps the
  /// chunks that an earlier process wrote.
  bool resumable = false;
};

/// Creates a file to be written by regions, in the format of its extension. Throws io_error, and usage_error
/// if the format cannot hold the image.
std::unique_ptr<image_sink> create_sink(const std::filesystem::path& file, const source_form& form,
                                        const sink_options& options = {});

}  // namespace macareu
