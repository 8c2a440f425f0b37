#include "engines/pieces/component/bands.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>

#include <macareu/error.hpp>

#include "engines/pieces/tuning.hpp"

namespace macareu::pieces {
namespace {

/// A band and the first slice of the next.
box with_next(const box& band, bool volume, const frame& whole) {
  auto end = band.end();
  auto& last = volume ? end.z : end.y;
  last = std::min(last + 1, volume ? whole.depth : whole.height);
  return between(band.first, end);
}

/// The numbers of one slice of a block, of one row in images.
std::span<const std::uint32_t> slice_of(const block& numbers, bool volume, std::int64_t slice) {
  const auto* first =
      reinterpret_cast<const std::uint32_t*>(volume ? numbers.row(slice, 0) : numbers.row(0, slice));
  return {first, static_cast<std::size_t>(volume ? numbers.where.size.y * numbers.where.size.x
                                                 : numbers.where.size.x)};
}

/// A residue, and the pairs that its band completed in the one before.
std::string bytes_of(const block_residue& residue, const std::vector<rim_pair>& before) {
  std::string bytes(8 + before.size() * sizeof(rim_pair), '\0');
  std::memcpy(bytes.data(), &residue.objects, 4);
  std::memcpy(bytes.data() + 4, &residue.in_first, 4);
  if (!before.empty()) std::memcpy(bytes.data() + 8, before.data(), before.size() * sizeof(rim_pair));
  return bytes;
}
block_residue residue_from(const std::string& bytes, block_residue* before) {
  block_residue residue;
  if (bytes.size() < 8) throw io_error("journal of pieces: a record of labels is damaged");
  std::memcpy(&residue.objects, bytes.data(), 4);
  std::memcpy(&residue.in_first, bytes.data() + 4, 4);
  if (before) {
    before->to_next.resize((bytes.size() - 8) / sizeof(rim_pair));
    std::memcpy(before->to_next.data(), bytes.data() + 8, before->to_next.size() * sizeof(rim_pair));
  }
  const bool in_range = !before || std::ranges::all_of(before->to_next, [&](const rim_pair& pair) {
    return pair.own >= 1 && pair.own <= before->objects && pair.next >= 1 && pair.next <= residue.in_first;
  });
  if (!in_range || residue.in_first > residue.objects)
    throw io_error("journal of pieces: a record of labels is damaged");
  return residue;
}

template <class Label>
void renumber(const block& to, const block& from, const std::vector<Label>& number,
              const host_threads& threads) {
  const auto size = to.where.size;
  threads.for_each(static_cast<std::size_t>(size.z * size.y), [&](std::size_t row) {
    const auto z = to.where.first.z + static_cast<std::int64_t>(row) / size.y,
               y = to.where.first.y + static_cast<std::int64_t>(row) % size.y;
    const auto* const in = reinterpret_cast<const std::uint32_t*>(from.row(z, y));
    auto* const out = reinterpret_cast<Label*>(to.row(z, y));
    for (std::int64_t x = 0; x < size.x; ++x) out[x] = number[in[x]];
  });
}

}  // namespace

site band_size(const run& of, const node& image, std::size_t label_bytes, bool volume) {
  const auto bytes = image.room() + 4 + 2 * static_cast<std::int64_t>(label_bytes) + 2 * tuning::engine_bytes;
  auto halo = image.halo();
  ++(volume ? halo.z : halo.y);
  return of.piece_size(image.whole, bytes, band_axes(volume), {halo, image.chunk(), sizeof(rim_pair)});
}

std::pair<node_ptr, std::uint64_t> component_bands::join(std::size_t label_bytes, const std::string& header,
                                                         const host_threads& threads) const {
  const auto whole = image_->whole;
  const auto result = std::make_shared<stored>(run_, whole, label_bytes,
                                               band_size(run_, *image_, label_bytes, volume_), header);
  const auto& grid = result->grid();
  const auto labelled = [&run = run_, volume = volume_, image = image_, number = number_, whole](
                            const box& band, const box* next) {
    const auto pixels = image->read(with_next(band, volume, whole));
    if (next) image->expect(with_next(*next, volume, whole));
    block numbers(*run.memory, pixels.where, sizeof(std::uint32_t));
    return std::pair(numbers, number(numbers, pixels));
  };
  const auto residues = std::make_shared<std::vector<block_residue>>();
  std::vector<std::uint32_t> shared;  // numbers that the last band gave to the first slice of this one
  const auto record = run_.next_record();
  const auto keep_last = [&](const block& numbers, const box& band) {
    const auto last = slice_of(numbers, volume_, volume_ ? band.end().z : band.end().y);
    shared.assign(last.begin(), last.end());
  };
  run_.over_pieces(grid, [&](std::int64_t b) {
    const auto band = grid.piece(b);
    if (const auto known = run_.done.recall(record, b)) {
      residues->push_back(residue_from(*known, b > 0 ? &residues->back() : nullptr));
      return;
    }
    if (b > 0 && shared.empty()) keep_last(labelled(grid.piece(b - 1), nullptr).first, grid.piece(b - 1));
    const auto next = b + 1 < grid.count() ? std::optional(grid.piece(b + 1)) : std::nullopt;
    const auto [numbers, count] = labelled(band, next ? &*next : nullptr);
    if (count > std::numeric_limits<std::uint32_t>::max())
      throw usage_error("pieces: " + std::to_string(count) +
                        " objects in one piece are more than 32 bits count; use smaller pieces");
    const auto first = volume_ ? band.first.z : band.first.y,
               end = first + (volume_ ? band.size.z : band.size.y);
    std::vector<std::uint32_t> highest(static_cast<std::size_t>(end - first));
    threads.for_each(highest.size(), [&](std::size_t i) {
      highest[i] = std::ranges::max(slice_of(numbers, volume_, first + static_cast<std::int64_t>(i)));
    });
    block_residue residue;
    residue.objects = std::ranges::max(highest);
    if (b > 0) {
      residue.in_first = highest[0];
      residues->back().to_next =
          rim_pairs(shared, slice_of(numbers, volume_, first), residues->back().objects, threads);
    }
    const auto known_now = bytes_of(residue, b > 0 ? residues->back().to_next : std::vector<rim_pair>());
    run_.done.record(record, b, std::as_bytes(std::span(known_now)));
    residues->push_back(std::move(residue));
    if (next) keep_last(numbers, band);
  });
  const auto merged = std::make_shared<merged_blocks>(merge_rims(*residues, threads));
  result->finish_later([labelled, merged, residues, label_bytes, threads, file = result.get(),
                        &run = run_](std::int64_t b) -> std::optional<block> {
    const auto band = file->grid().piece(b);
    const auto next = b + 1 < file->grid().count() ? std::optional(file->grid().piece(b + 1)) : std::nullopt;
    const auto numbers = labelled(band, next ? &*next : nullptr).first;
    const auto& answer = merged->blocks[static_cast<std::size_t>(b)];
    const auto objects = (*residues)[static_cast<std::size_t>(b)].objects;
    block labels(*run.memory, band, label_bytes);
    if (label_bytes == 4)
      renumber(labels, numbers, numbers_of<std::uint32_t>(answer, objects), threads);
    else
      renumber(labels, numbers, numbers_of<std::uint64_t>(answer, objects), threads);
    return labels;
  });
  return {result, merged->count};
}

template <class Label>
local_numbers numbers_in_use(block_memory& memory, const framed<const Label>& labels) {
  const auto& from = labels.pixels();
  local_numbers result;
  result.numbers = block(memory, {{0, 0, 0}, {from.depth, from.height, from.width}}, sizeof(std::uint32_t));
  result.labels = {0};
  std::unordered_map<Label, std::uint32_t> number;
  Label last = 0;
  std::uint32_t last_number = 0;
  for (std::int64_t z = 0; z < from.depth; ++z)
    for (std::int64_t y = 0; y < from.height; ++y) {
      const Label* const row = from.at(z, y);
      auto* const to = reinterpret_cast<std::uint32_t*>(result.numbers.row(z, y));
      for (std::int64_t x = 0; x < from.width; ++x) {
        const Label label = row[x];
        if (label != last) {
          last = label;
          last_number = 0;
          if (label != 0) {
            const auto [found, fresh] =
                number.try_emplace(label, static_cast<std::uint32_t>(result.labels.size()));
            if (fresh) result.labels.push_back(label);
            last_number = found->second;
          }
        }
        to[x] = last_number;
      }
    }
  return result;
}

template local_numbers numbers_in_use(block_memory&, const framed<const std::uint32_t>&);
template local_numbers numbers_in_use(block_memory&, const framed<const std::uint64_t>&);

}  // namespace macareu::pieces
