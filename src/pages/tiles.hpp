// An image as tiles of bytes, at full size and in smaller levels.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <macareu/page.hpp>

namespace macareu::pages {

inline constexpr std::int64_t tile_side = 512;

/// 8-bit pixels in C order: grey, or red, green and blue.
struct tile {
  int width = 0, height = 0, channels = 1;
  std::vector<std::uint8_t> pixels = {};
};

struct tile_place {
  std::int64_t slice = 0, x = 0, y = 0;
  int halvings = 0;  ///< 0: full size
};

/// How many times an image is halved until one tile holds it.
int halvings_of(const extents& shape);
/// A side after so many halvings, each rounded up.
std::int64_t halved_side(std::int64_t side, int halvings);

/// Mean of two by two pixels; odd sides are rounded up.
tile halved(const tile& from);

/// Held while a source is read. Whoever reads ahead waits until nobody else wants to read.
class source_lock {
 public:
  enum class turn { next, last };
  void lock(turn when = turn::next);
  void unlock();

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int waiting_ = 0;  ///< for the next turn
  bool held_ = false;
};

class overview;

/// Values become bytes: u8 as they are, others between the least and the greatest of a sample. Of labels,
/// bytes are 255 inside of objects, and smaller levels are rounded up so that no object disappears. Functions
/// may be called by several threads.
class tile_reader {
 public:
  enum class kind { picture, labels };
  explicit tile_reader(const page_image& image, kind what = kind::picture);
  ~tile_reader();
  tile_reader(const tile_reader&) = delete;
  tile_reader& operator=(const tile_reader&) = delete;

  const source_form& form() const { return levels_[0]->form(); }
  int channels() const { return form().channels >= 3 && kind_ == kind::picture ? 3 : 1; }
  /// Whether bytes are what the file has.
  bool as_stored() const { return form().type == dtype::u8; }

  /// The tile of full size.
  tile read(const tile_place& place);
  /// The tile of any size. Reads the level of the file that is as large or a little larger. Where that is
  /// much larger the tile comes from an overview that is made meanwhile. Parts of the file that cannot be
  /// read are grey, or without objects; failure() then names the reason. Throws if nothing can be read.
  tile read_scaled(const tile_place& place);
  /// Why a part of the file could not be read, the first time; empty if all could be.
  std::string failure() const;
  void remember_failure(const std::string& reason);
  /// Held while sources are read.
  source_lock& lock() { return lock_; }
  /// From how many halvings on tiles come from an overview; nothing if none do. An overview that is started
  /// before the first tile is asked for gives it earlier.
  std::optional<int> overview_halvings() const;
  void start_overview();
  /// Whether read_scaled() gives finer tiles of the overview later, and a number that then is larger.
  bool refines() const;
  int version() const;

 private:
  struct window {
    double low = 0, high = 255;
  };
  window window_of_sample();
  /// Pixels of a region of a level, as bytes.
  tile region(image_source& from, const image_region& box, source_lock::turn when = source_lock::turn::next);
  /// The same without the chunks of the file that cannot be read. Throws if none of them can.
  tile readable_region(image_source& from, const image_region& box,
                       source_lock::turn when = source_lock::turn::next);
  std::uint8_t unknown() const { return kind_ == kind::picture ? 128 : 0; }
  tile unknown_tile(std::int64_t width, std::int64_t height) const;
  tile shrunk(image_source& from, const tile_place& place, double scale);
  tile sampled(image_source& from, const tile_place& place, double scale);

  std::vector<image_source*> levels_;
  source_lock lock_;
  kind kind_;
  window window_;
  mutable std::mutex failure_lock_;
  std::string failure_;
  std::unique_ptr<overview> overview_;
};

/// The file of a tile: JPEG of this quality where libvips is available, or PNG for 0.
std::string encoded(const tile& from, int quality);

}  // namespace macareu::pages
