// One process joins what its pieces know as ranks do (macareu/ranks.hpp), along a tree of halved boxes of
// pieces. What regions tell and are answered lies in a work file: one join at a time is in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <macareu/ranks.hpp>

#include "engines/pieces/box.hpp"
#include "engines/pieces/files/nameless_file.hpp"
#include "engines/pieces/run.hpp"

namespace macareu::pieces {

/// The box of leaves first .. end - 1, a range of the tree of single pieces.
inline box region_of_leaves(box pieces, int first, int end) {
  for (int begin = 0; pieces.pixels() != end - first;) {
    const auto [one, other] = halves_of(pieces);
    const auto middle = begin + static_cast<int>(one.pixels());
    pieces = end <= middle ? one : other;
    if (end > middle) begin = middle;
  }
  return pieces;
}

class region_joins {
 public:
  region_joins(run& of, const box& pieces)
      : pieces_(pieces), file_(of), told_(static_cast<std::size_t>(pieces.pixels())), halves_(told_.size()) {}

  /// What a piece tells. Pieces are known by their places among all pieces.
  void tell(site piece, std::string_view bytes) { told_[index_of(piece)] = file_.add(bytes); }

  /// After all pieces told something: take(piece, answer) for each. make() returns an object for one join,
  /// with an exchange().
  template <class Make, class Take>
  void join(const Make& make, const Take& take) {
    auto joining = make();
    const auto how = joining.exchange();
    const auto all = up(make, pieces_, 0);
    down(make, take, pieces_, 0, how.answer(file_.read(all)));
  }

  nameless_file& file() { return file_; }
  const nameless_file& file() const { return file_; }

 private:
  using place = nameless_file::place;

  std::size_t index_of(site piece) const {
    const site at = piece - pieces_.first;
    return static_cast<std::size_t>((at.z * pieces_.size.y + at.y) * pieces_.size.x + at.x);
  }
  static rank_range range_of(const std::pair<box, box>& halves, int first) {
    const auto middle = first + static_cast<int>(halves.first.pixels());
    return {first, middle, middle + static_cast<int>(halves.second.pixels())};
  }

  template <class Make>
  place up(const Make& make, const box& region, int first) {
    if (region.pixels() == 1) return told_[index_of(region.first)];
    const auto halves = halves_of(region);
    const auto range = range_of(halves, first);
    auto& [one, other] = halves_[static_cast<std::size_t>(range.middle)];
    one = up(make, halves.first, first);
    other = up(make, halves.second, range.middle);
    auto joining = make();
    return file_.add(joining.exchange().join(range, file_.read(one), file_.read(other)));
  }

  template <class Make, class Take>
  void down(const Make& make, const Take& take, const box& region, int first, std::string answer) {
    if (region.pixels() == 1) return take(region.first, answer);
    const auto halves = halves_of(region);
    const auto range = range_of(halves, first);
    place later;
    {
      // The join is made again, because its state is needed to split the answer.
      auto joining = make();
      const auto how = joining.exchange();
      const auto& [one, other] = halves_[static_cast<std::size_t>(range.middle)];
      how.join(range, file_.read(one), file_.read(other));
      auto [own, others] = how.split(range, std::move(answer));
      answer = std::move(own);
      later = file_.add(others);
    }
    down(make, take, halves.first, first, std::move(answer));
    down(make, take, halves.second, range.middle, file_.read(later));
  }

  box pieces_;
  nameless_file file_;
  std::vector<place> told_;                      // by place in the box of pieces
  std::vector<std::pair<place, place>> halves_;  // of regions, by the first leaf of the second half
};

}  // namespace macareu::pieces
