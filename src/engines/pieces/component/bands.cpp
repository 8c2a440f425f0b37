#include "engines/pieces/component/bands.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

#include <macareu/error.hpp>

#include "engines/pieces/component/band_regions.hpp"
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

std::string bytes_of(const band_record& band) {
  std::string bytes(8 + band.before.size() * sizeof(rim_pair), '\0');
  std::memcpy(bytes.data(), &band.residue.objects, 4);
  std::memcpy(bytes.data() + 4, &band.residue.in_first, 4);
  if (!band.before.empty())
    std::memcpy(bytes.data() + 8, band.before.data(), band.before.size() * sizeof(rim_pair));
  return bytes;
}
band_record record_from(std::string_view bytes) {
  band_record band;
  if (bytes.size() < 8) throw io_error("journal of pieces: a record of labels is damaged");
  std::memcpy(&band.residue.objects, bytes.data(), 4);
  std::memcpy(&band.residue.in_first, bytes.data() + 4, 4);
  band.before.resize((bytes.size() - 8) / sizeof(rim_pair));
  if (!band.before.empty())
    std::memcpy(band.before.data(), bytes.data() + 8, band.before.size() * sizeof(rim_pair));
  return band;
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
  return of.piece_size(image.whole, bytes, band_axes(volume),
                       {halo, image.chunk(), sizeof(rim_pair), 3 * sizeof(rim_pair)});
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
  std::vector<band_record> bands;
  // Numbers that the last band gave to the first slice of this one, and how many objects began in it.
  std::vector<std::uint32_t> shared;
  std::uint32_t began = 0;
  const auto record = run_.next_record();
  const auto highest_in = [&](const block& numbers, const box& band) {
    const auto first = volume_ ? band.first.z : band.first.y;
    std::vector<std::uint32_t> highest(static_cast<std::size_t>(volume_ ? band.size.z : band.size.y));
    threads.for_each(highest.size(), [&](std::size_t i) {
      highest[i] = std::ranges::max(slice_of(numbers, volume_, first + static_cast<std::int64_t>(i)));
    });
    return highest;
  };
  const auto keep_last = [&](const block& numbers, const box& band, std::uint32_t objects) {
    const auto last = slice_of(numbers, volume_, volume_ ? band.end().z : band.end().y);
    shared.assign(last.begin(), last.end());
    began = objects;
  };
  run_.over_pieces(grid, [&](std::int64_t b) {
    const auto band = grid.piece(b);
    if (const auto known = run_.done.recall(record, b)) {
      bands.push_back(record_from(*known));
      shared.clear();
      return;
    }
    if (b > 0 && shared.empty()) {  // another run had the band before, or another rank has it
      const auto before = grid.piece(b - 1);
      const auto numbers = labelled(before, nullptr).first;
      keep_last(numbers, before, std::ranges::max(highest_in(numbers, before)));
    }
    const auto next = run_.next_piece(grid, b);
    const auto next_band = next ? std::optional(grid.piece(*next)) : std::nullopt;
    const auto [numbers, count] = labelled(band, next_band ? &*next_band : nullptr);
    if (count > std::numeric_limits<std::uint32_t>::max())
      throw usage_error("pieces: " + std::to_string(count) +
                        " objects in one piece are more than 32 bits count; use smaller pieces");
    const auto highest = highest_in(numbers, band);
    band_record found;
    found.residue.objects = std::ranges::max(highest);
    if (b > 0) {
      found.residue.in_first = highest[0];
      found.before = rim_pairs(shared, slice_of(numbers, volume_, volume_ ? band.first.z : band.first.y),
                               began, threads);
    }
    const auto known_now = bytes_of(found);
    run_.done.record(record, b, std::as_bytes(std::span(known_now)));
    if (next) keep_last(numbers, band, found.residue.objects);
    bands.push_back(std::move(found));
  });
  // Of own bands: how many objects begin in them, and their numbers.
  const auto own = run_.own_pieces(grid);
  const auto first_band = own.pixels() > 0 ? grid.number(own.first) : 0;
  const auto objects = std::make_shared<std::vector<std::uint32_t>>();
  for (const auto& band : bands) objects->push_back(band.residue.objects);
  const auto merged = std::make_shared<const merged_blocks>(merge_bands(run_, std::move(bands), threads));
  result->finish_later([labelled, merged, objects, first_band, label_bytes, threads, file = result.get(),
                        &run = run_](std::int64_t b) -> std::optional<block> {
    const auto band = file->grid().piece(b);
    const auto next = run.next_piece(file->grid(), b);
    const auto next_band = next ? std::optional(file->grid().piece(*next)) : std::nullopt;
    const auto numbers = labelled(band, next_band ? &*next_band : nullptr).first;
    const auto at = static_cast<std::size_t>(b - first_band);
    const auto& answer = merged->blocks[at];
    block labels(*run.memory, band, label_bytes);
    if (label_bytes == 4)
      renumber(labels, numbers, numbers_of<std::uint32_t>(answer, (*objects)[at]), threads);
    else
      renumber(labels, numbers, numbers_of<std::uint64_t>(answer, (*objects)[at]), threads);
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
