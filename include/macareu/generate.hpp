// Test and benchmark images by formula: integer arithmetic only, the same bytes on every machine and thread
// count.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string_view>

#include <macareu/image.hpp>
#include <macareu/sources.hpp>

namespace macareu {

struct instance_description {
  std::string_view name;
  std::string_view brief;
  bool images = true;     ///< offered in 2-D
  bool volumes = true;    ///< offered in 3-D
  bool marker = true;     ///< has a marker beside its mask
  int channels = 1;       ///< of the mask: 3 are red, green and blue
  bool truth = false;     ///< has a label image of its objects, u32, numbered in raster order of first pixels
  double pixel_size = 0;  ///< in millimetres; 0 where it stands for nothing
};

std::span<const instance_description> instances();

struct generate_options {
  std::uint64_t seed = 1;
  int coverage = 50;          ///< tissue, slide: per cent covered, 25, 50, 75 or 100
  std::stop_token stop = {};  ///< when it is set, the call throws `interrupted`
};

struct instance {
  image mask;  ///< the image itself
  std::optional<image> marker;
  std::optional<image> truth;
};

/// Throws usage_error for an unknown name, or a rank the instance does not have; interrupted when it is
/// stopped.
instance generate(std::string_view name, const extents& shape, const generate_options& options = {});

/// Generates an instance in bands of rows, for images larger than memory. Each band has the bytes that
/// generate() gives it.
class instance_generator {
 public:
  /// Throws usage_error like generate().
  instance_generator(std::string_view name, const extents& shape, const generate_options& options = {});
  ~instance_generator();
  instance_generator(const instance_generator&) = delete;
  instance_generator& operator=(const instance_generator&) = delete;

  const instance_description& description() const;
  /// Bytes that draw() allocates or keeps at most, for any number of rows.
  std::int64_t work_memory() const;
  /// Writes a region of whole rows, in C order without gaps, channels interleaved. `marker` and `truth` may
  /// be null. Throws usage_error if the region is not inside the image or the instance has no marker or
  /// truth; interrupted when it is stopped.
  void draw(const image_region& rows, std::uint8_t* mask, std::uint8_t* marker = nullptr,
            std::uint32_t* truth = nullptr) const;

 private:
  struct state;
  std::unique_ptr<const state> state_;
};

}  // namespace macareu
