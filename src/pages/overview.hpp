// A small copy of a large image whose file has no small levels.
#pragma once

#include <array>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include <macareu/sources.hpp>

#include "tiles.hpp"

namespace macareu::pages {

/// A thread reads the image in cells, a few all over the image first, and then those between them, until the
/// copy has every pixel. Memory holds the copy, its smaller levels and one cell.
class overview {
 public:
  /// Gives bytes of a region of the image. Cells for which it throws keep the byte `unknown`.
  using read_bytes = std::function<tile(const image_region&)>;

  struct rounding {
    bool up;               ///< of means, so that no object disappears
    std::uint8_t unknown;  ///< what stands for pixels that cannot be read
  };

  /// The copy is the image, halved so many times.
  overview(const source_form& form, const std::array<std::int64_t, 3>& chunk, int channels, int halvings,
           rounding how, read_bytes read);

  int halvings() const { return halvings_; }
  /// Starts the thread if it does not run yet.
  void start();
  /// A tile of the copy or of a smaller level, down to one that a tile holds. Starts the thread. Waits until
  /// every part of the image has a value, and a moment longer if that makes it finer. Throws if no part of
  /// the image could be read so far.
  tile read(const tile_place& place);
  /// Grows when the copy is finer.
  int version();
  /// Whether the copy becomes finer.
  bool refines();

 private:
  struct cell_grid {
    std::int64_t side = 0;  ///< of a cell, in pixels of the image
    std::int64_t rows = 0, columns = 0;
  };
  /// The copy, or that halved again. Memory is touched when a cell is read.
  struct level {
    int halvings;
    std::int64_t height, width;
    std::unique_ptr<std::uint8_t[]> pixels;
  };

  void work(const std::stop_token& stop);
  void add_cell(std::int64_t row, std::int64_t column, std::int64_t step);
  void leave_out_cell(std::int64_t row, std::int64_t column);
  /// Copies a part of a level into a tile: pixels of cells that were read, and the mean of one near by else.
  void copy_cell(const level& from, std::int64_t row, std::int64_t column, const tile_place& place,
                 tile& to) const;

  std::int64_t height_, width_;
  int halvings_, channels_;
  rounding how_;
  cell_grid cells_;
  std::int64_t first_step_ = 1;  ///< cells between those of the first pass
  read_bytes read_;

  std::mutex lock_;
  std::condition_variable finer_;
  std::vector<level> levels_;
  std::vector<std::uint8_t> known_;    ///< for each cell whether it was read
  std::vector<std::uint8_t> nearest_;  ///< for each cell the mean of one near by, a byte for each channel
  int version_ = 0, passes_ = 1;
  std::chrono::steady_clock::time_point started_;
  bool any_known_ = false;
  std::exception_ptr failure_;  ///< the first one
  std::jthread thread_;
};

}  // namespace macareu::pages
