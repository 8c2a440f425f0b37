#include "operators/objects/measures/overlaps.hpp"

#include <algorithm>
#include <cstddef>
#include <mutex>
#include <string>
#include <utility>

#include "core/ceil_div.hpp"
#include "operators/objects/labels/label_rows.hpp"

namespace macareu {
namespace {

constexpr std::int64_t unit_rows = 64;

/// Runs of equal pairs in rows first .. end - 1 of a band.
template <class Label>
void count_rows(const row_band& band, std::int64_t first, std::int64_t end, pair_map<std::uint64_t>& to) {
  label_row_reader<Label> truths, founds;
  constexpr std::int64_t stride = 16;
  for (auto row = first; row < end; ++row) {
    const Label* const truth = truths(band, 0, row);
    const Label* const found = founds(band, 1, row);
    for (std::int64_t begin = 0; begin < band.width;) {
      const Label a = truth[begin], b = found[begin];
      auto next = begin + 1;
      while (next + stride <= band.width) {
        Label differences = 0;
        for (std::int64_t i = 0; i < stride; ++i)
          differences |= (truth[next + i] ^ a) | (found[next + i] ^ b);
        if (differences != 0) break;
        next += stride;
      }
      while (next < band.width && truth[next] == a && found[next] == b) ++next;
      to[{a, b}] += static_cast<std::uint64_t>(next - begin);
      begin = next;
    }
  }
}

/// Labels and pixels of the objects of one image, in the order of labels.
struct object_sizes {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> all;

  std::size_t index_of(std::uint64_t label) const {
    return static_cast<std::size_t>(
        std::ranges::lower_bound(all, label, {}, &std::pair<std::uint64_t, std::uint64_t>::first) -
        all.begin());
  }
  static object_sizes of(std::vector<std::pair<std::uint64_t, std::uint64_t>> parts) {
    std::ranges::sort(parts);
    object_sizes sizes;
    for (const auto& [label, pixels] : parts) {
      if (sizes.all.empty() || sizes.all.back().first != label) sizes.all.emplace_back(label, 0);
      sizes.all.back().second += pixels;
    }
    return sizes;
  }
};

struct overlap {
  std::size_t truth, found;
  std::uint64_t shared, joined;  // pixels of the intersection and of the union
  double iou() const { return static_cast<double>(shared) / static_cast<double>(joined); }
};

double ratio(std::uint64_t a, std::uint64_t b) {
  return b == 0 ? 0 : static_cast<double>(a) / static_cast<double>(b);
}

/// Every true object takes the found one of largest overlap, which may be taken again (Kumar et al. 2017).
double jaccard(const std::vector<overlap>& overlaps, const object_sizes& truths, const object_sizes& founds) {
  std::vector<const overlap*> best(truths.all.size());
  for (const auto& each : overlaps)
    if (auto& of = best[each.truth]; !of || each.iou() > of->iou()) of = &each;
  std::vector<bool> taken(founds.all.size());
  std::uint64_t shared = 0, joined = 0;
  for (std::size_t i = 0; i < best.size(); ++i) {
    if (!best[i]) {
      joined += truths.all[i].second;
      continue;
    }
    shared += best[i]->shared;
    joined += best[i]->joined;
    taken[best[i]->found] = true;
  }
  for (std::size_t i = 0; i < taken.size(); ++i)
    if (!taken[i]) joined += founds.all[i].second;
  return ratio(shared, joined);
}

/// Pairs one to one, those of largest overlap first; of equal ones that of the smaller labels.
std::vector<overlap> assigned(const std::vector<overlap>& overlaps, std::size_t truths, std::size_t founds) {
  auto order = overlaps;
  std::ranges::stable_sort(order, std::ranges::greater{}, &overlap::iou);
  std::vector<bool> truth_taken(truths), found_taken(founds);
  std::vector<overlap> pairs;
  for (const auto& each : order) {
    if (truth_taken[each.truth] || found_taken[each.found]) continue;
    truth_taken[each.truth] = found_taken[each.found] = true;
    pairs.push_back(each);
  }
  std::ranges::sort(pairs, {}, &overlap::truth);
  return pairs;
}

double jaccard_of_pairs(const std::vector<overlap>& pairs, const object_sizes& truths,
                        const object_sizes& founds) {
  std::uint64_t shared = 0, joined = 0;
  for (const auto& [label, pixels] : truths.all) joined += pixels;
  for (const auto& [label, pixels] : founds.all) joined += pixels;
  for (const auto& each : pairs) {
    shared += each.shared;
    joined -= each.shared;
  }
  return ratio(shared, joined);
}

}  // namespace

void overlap_counts::add(const row_band& band) {
  const bool wide = has_wide_labels(band.images[0].type) || has_wide_labels(band.images[1].type);
  const auto units = ceil_div(band.rows(), unit_rows);
  std::mutex guard;
  const auto count = [&](std::int64_t first, std::int64_t end, pair_map<std::uint64_t>& to) {
    if (wide)
      count_rows<std::uint64_t>(band, first, end, to);
    else
      count_rows<std::uint32_t>(band, first, end, to);
  };
  if (threads_.count == 1) return count(0, band.rows(), pixels_);
  threads_.for_each(static_cast<std::size_t>(units), [&](std::size_t unit) {
    const auto first = static_cast<std::int64_t>(unit) * unit_rows;
    pair_map<std::uint64_t> own;
    count(first, std::min(first + unit_rows, band.rows()), own);
    const std::lock_guard lock(guard);
    own.for_each([&](label_pair pair, std::uint64_t pixels) { pixels_[pair] += pixels; });
  });
}

table scores_of(const pair_map<std::uint64_t>& pixels, std::span<const double> thresholds) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> true_parts, found_parts;
  std::uint64_t both = 0, true_pixels = 0, found_pixels = 0;
  const auto pairs = pixels.sorted();
  for (const auto& [pair, count] : pairs) {
    if (pair.first != 0) true_parts.emplace_back(pair.first, count), true_pixels += count;
    if (pair.second != 0) found_parts.emplace_back(pair.second, count), found_pixels += count;
    if (pair.first != 0 && pair.second != 0) both += count;
  }
  const auto truths = object_sizes::of(std::move(true_parts));
  const auto founds = object_sizes::of(std::move(found_parts));
  std::vector<overlap> overlaps;
  for (const auto& [pair, count] : pairs)
    if (pair.first != 0 && pair.second != 0) {
      const auto i = truths.index_of(pair.first), j = founds.index_of(pair.second);
      overlaps.push_back({i, j, count, truths.all[i].second + founds.all[j].second - count});
    }
  const auto one_to_one = assigned(overlaps, truths.all.size(), founds.all.size());
  const bool any = !truths.all.empty() && !founds.all.empty();
  const double aji = any ? jaccard(overlaps, truths, founds) : 0;
  const double aji_plus = any ? jaccard_of_pairs(one_to_one, truths, founds) : 0;

  table result;
  const auto add = [&](std::string name, auto value) {
    using column = std::vector<decltype(value)>;
    const auto same = std::ranges::find(result.columns, name, &table_column::name);
    if (same == result.columns.end())
      result.columns.push_back({std::move(name), column{value}});
    else
      std::get<column>(same->values).push_back(value);
  };
  const auto true_count = std::uint64_t{truths.all.size()}, found_count = std::uint64_t{founds.all.size()};
  for (const double threshold : thresholds) {
    std::uint64_t matches = 0;
    double matched_iou = 0;
    for (const auto& each : one_to_one)
      if (each.iou() > threshold) ++matches, matched_iou += each.iou();
    const double quality = matches == 0 ? 0 : matched_iou / static_cast<double>(matches);
    const double f1 = ratio(2 * matches, true_count + found_count);
    add("threshold", threshold);
    add("aji", aji);
    add("aji_plus", aji_plus);
    add("dice", ratio(2 * both, true_pixels + found_pixels));
    add("pq", f1 * quality);
    add("dq", f1);
    add("sq", quality);
    add("f1", f1);
    add("precision", ratio(matches, found_count));
    add("recall", ratio(matches, true_count));
    add("true_objects", true_count);
    add("found_objects", found_count);
    add("true_positives", matches);
    add("false_positives", found_count - matches);
    add("misses", true_count - matches);
  }
  return result;
}

}  // namespace macareu
