// Reading and writing image files. Built in: .npy .pgm .ppm .nrrd .mha .raw, and .nhdr .mhd .csv .txt to
// read; Zarr directories, if the build found nlohmann-json. libvips adds PNG, JPEG, TIFF, BigTIFF and whole
// slides. Its module macareu_vips.so exists if the build found libvips, and is loaded when a file needs it.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <macareu/image.hpp>
#include <macareu/modules.hpp>

namespace macareu {

/// Information from a header, beside the pixels.
struct metadata {
  /// Size of a pixel along each axis, in array order (z, y, x); the last entry is unused for images.
  std::optional<std::array<double, 3>> spacing;
};

struct image_file {
  image pixels;
  metadata info;
};

/// The header that a raw file lacks.
struct raw_layout {
  dtype type = dtype::u8;
  extents shape;
  std::uint64_t offset = 0;
  enum class byte_order { little, big } order = byte_order::little;
};

struct read_options {
  std::optional<raw_layout> raw = {};
  /// The last axis of a .npy file or .zarr array holds channels: 3 axes are then a colour image, not a
  /// volume.
  bool channels_last = false;
  /// The level of a pyramid, as slides, TIFF and OME-Zarr have them; 0 is the largest.
  int level = 0;
};

/// Throws io_error, with file and offset, for invalid files. Headers are not trusted: memory is allocated
/// only for pixels that can be in the file. The extension names the format; without one the first bytes do,
/// so pipes can be read. A TIFF with pages of one size is a volume.
image_file read_image(const std::filesystem::path& file, const read_options& options = {});

/// Writes to `file` itself, in the format of its extension. Throws io_error; usage_error if the format cannot
/// hold the image, naming one that can. bool becomes 0 and 255 in picture formats, 0 and 1 in .nrrd and .mha.
/// A pipe or device without extension gets .npy.
void write_image(const std::filesystem::path& file, const const_image_view& pixels,
                 const metadata& info = {});

/// Throws the errors of write_image that depend on the name alone: usage_error if the format cannot be
/// written, io_error if it needs libvips and that cannot be loaded.
void check_writable(const std::filesystem::path& file);

/// The extensions that can be written, with their dot.
std::vector<std::string> writable_extensions();
/// The extensions that can be read. If .png is one, libvips is available and recognises other files by
/// content.
std::vector<std::string> readable_extensions();

/// All outputs of a run. Each is written to a temporary file beside its destination, and commit() renames
/// them together. Without a commit the temporary files are removed. Pipes and devices are written at the
/// commit. Symbolic links are followed.
class output_files {
 public:
  output_files();
  /// Files are made in a private folder instead. The commit writes a list of renames there first, and
  /// finish_commit() completes one that was killed.
  explicit output_files(const std::filesystem::path& folder);
  ~output_files();
  output_files(const output_files&) = delete;
  output_files& operator=(const output_files&) = delete;

  void add(const std::filesystem::path& file, const const_image_view& pixels, const metadata& info = {});
  void add_text(const std::filesystem::path& file, std::string text);
  /// Text that tell(write) gives in parts; for pipes when the files are committed.
  void add_text(const std::filesystem::path& file,
                std::function<void(const std::function<void(std::string_view)>& write)> tell);
  /// A file or Zarr directory that is complete, in the private folder. It gets the name `file`, or is copied
  /// to it if that is a pipe or device.
  void add_finished(const std::filesystem::path& file, const std::filesystem::path& made);
  /// durable: with a folder, files are on the disk before they get their names, so that a machine that loses
  /// its power leaves none of them incomplete.
  void commit(bool durable = false);
  /// Does the rest of a commit that was killed. False if none had begun in this folder.
  static bool finish_commit(const std::filesystem::path& folder);

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace macareu
