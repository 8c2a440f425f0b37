// A small copy of a large image whose file has no small levels.
#pragma once

#include <array>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include <macareu/sources.hpp>

#include "tiles.hpp"

namespace macareu::pages {

/// A thread reads the image in cells, a few all over the image first, and then those between them, until the
/// copy has every pixel. Memory holds the copy and one cell.
class overview {
 public:
  /// Gives bytes of a region of the image.
  using read_bytes = std::function<tile(const image_region&)>;

  /// The copy is the image, halved so many times.
  overview(const source_form& form, const std::array<std::int64_t, 3>& chunk, int channels, int halvings,
           bool round_up, read_bytes read);

  int halvings() const { return halvings_; }
  /// A part of the copy, and mean values of more pixels if place.halvings is larger. Starts the thread; waits
  /// until every part of the image has a value.
  tile read(const tile_place& place);
  /// Grows when the copy is finer; last_version if it will not.
  int version();
  static constexpr int last_version = 5;

 private:
  void work(const std::stop_token& stop);
  void add_cell(std::int64_t row, std::int64_t column, std::int64_t step);
  void start();

  std::int64_t height_, width_;
  int halvings_;
  bool round_up_;
  std::int64_t cell_;  ///< side, in pixels of the image
  read_bytes read_;
  tile copy_;
  std::mutex lock_;
  std::condition_variable finer_;
  int version_ = 0;
  std::exception_ptr failure_;
  std::jthread thread_;
};

}  // namespace macareu::pages
