// Options that say how input files are read, and reading them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <macareu/files.hpp>

#include "parser.hpp"

namespace macareu::tool {

/// What --shape, --dtype, --offset, --endian, --channels and --channel say.
class input_options {
 public:
  /// The parser keeps references to this object.
  void add_to(parser& options);
  void add_channel_to(parser& options);

  image_file read(const std::string& file) const;
  /// One grey image: of a colour image the channel that was asked for; without one a usage_error.
  image_file read_grey(const std::string& file) const;
  /// The same, but all channels of a colour image where none was asked for.
  image_file read_grey_or_colour(const std::string& file) const;

  /// Throws usage_error where the options describe raw files and there is none, or only in part.
  void check(const std::vector<std::string>& files) const;

 private:
  bool describe_raw() const { return !raw_options_.empty(); }

  raw_layout raw_;
  std::vector<std::string> raw_options_;
  bool has_shape_ = false;
  bool channels_last_ = false;
  std::optional<std::string> channel_;
};

}  // namespace macareu::tool
