// Options for reading input files, and the reading itself.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <macareu/files.hpp>
#include <macareu/sources.hpp>

#include "parser.hpp"

namespace macareu::tool {

/// The values of --shape, --dtype, --offset, --endian, --channels and --channel.
class input_options {
 public:
  /// The parser keeps references to this object.
  void add_to(parser& options);
  void add_channel_to(parser& options);

  image_file read(const std::string& file) const;
  /// One grey image. Of a colour image, the channel given by --channel; throws usage_error without one.
  image_file read_grey(const std::string& file) const;
  /// The same, but without --channel returns all channels of a colour image.
  image_file read_grey_or_colour(const std::string& file) const;

  /// The same for images that are read by regions.
  std::unique_ptr<image_source> open_grey(const std::string& file,
                                          const std::filesystem::path& scratch) const;
  std::unique_ptr<image_source> open_grey_or_colour(const std::string& file,
                                                    const std::filesystem::path& scratch) const;

  /// Reads the level below the one that it read until now.
  void use_next_level() { ++level_; }

  /// The same options for files that have no colours, such as labels beside a colour image.
  input_options without_colour() const {
    auto grey = *this;
    grey.channels_last_ = false;
    grey.channel_.reset();
    return grey;
  }

  /// Throws usage_error if options describe raw files and no input is one, or if --shape is missing.
  void check(const std::vector<std::string>& files) const;

 private:
  bool describe_raw() const { return !raw_options_.empty(); }
  /// Throws io_error for a .raw file without options that describe it.
  read_options how_to_read(const std::string& file) const;
  /// Which channel of so many is wanted: its number, or nothing for the luminance of several. Throws
  /// usage_error if a grey image needs a choice, or there is no such channel.
  std::optional<int> wanted_channel(const std::string& file, int channels) const;

  raw_layout raw_;
  std::vector<std::string> raw_options_;
  bool has_shape_ = false;
  bool channels_last_ = false;
  int level_ = 0;
  std::optional<std::string> channel_;
};

}  // namespace macareu::tool
