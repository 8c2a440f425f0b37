#include "engines/pieces/component/bands.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

#include <macareu/error.hpp>
#include <macareu/ranks.hpp>

#include "core/ranks/rank_shares.hpp"
#include "engines/pieces/component/band_regions.hpp"
#include "engines/pieces/files/nameless_file.hpp"
#include "engines/pieces/files/rank_files.hpp"
#include "engines/pieces/region_joins.hpp"
#include "engines/pieces/shared_pass.hpp"
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

/// Numbers that a slice has and another has not, without 0.
std::uint32_t new_numbers(const std::vector<number_run>& slice, const std::vector<number_run>& before) {
  const auto numbers_in = [](const std::vector<number_run>& runs) {
    std::vector<std::uint32_t> numbers{0};
    for (const auto& run : runs) numbers.push_back(run.number);
    std::ranges::sort(numbers);
    numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
    return numbers;
  };
  std::vector<std::uint32_t> found;
  std::ranges::set_difference(numbers_in(slice), numbers_in(before), std::back_inserter(found));
  return static_cast<std::uint32_t>(found.size());
}

/// From the numbers of a band and the first slice of the next, which are 1 .. count.
band_record record_of(const block& numbers, std::uint32_t count, const box& band, bool volume,
                      const host_threads& threads) {
  const auto runs_in = [&](std::int64_t slice) { return runs_of(slice_of(numbers, volume, slice), threads); };
  const auto begin = volume ? band.first.z : band.first.y, end = volume ? band.end().z : band.end().y;
  band_record found;
  found.objects = count;
  if (begin > 0) {
    found.first = runs_in(begin);
    found.in_first = std::ranges::max(found.first, {}, &number_run::number).number;
  }
  if (volume ? numbers.where.end().z > end : numbers.where.end().y > end) {
    found.next = runs_in(end);
    // An object that is in both reaches the last slice of the band.
    found.objects -= new_numbers(found.next, runs_in(end - 1));
  }
  return found;
}

std::string bytes_of(const band_record& band) {
  const std::array<std::uint64_t, 4> head{band.objects, band.in_first, band.first.size(), band.next.size()};
  std::string bytes(reinterpret_cast<const char*>(head.data()), sizeof head);
  for (const auto* runs : {&band.first, &band.next})
    bytes.append(reinterpret_cast<const char*>(runs->data()), runs->size() * sizeof(number_run));
  return bytes;
}
band_record record_from(std::string_view bytes) {
  std::array<std::uint64_t, 4> head{};
  const auto runs = (bytes.size() - std::min(bytes.size(), sizeof head)) / sizeof(number_run);
  if (bytes.size() >= sizeof head) std::memcpy(head.data(), bytes.data(), sizeof head);
  if (bytes.size() < sizeof head || head[2] > runs || head[3] != runs - head[2])
    throw io_error("journal of pieces: a record of labels is damaged");
  band_record band{static_cast<std::uint32_t>(head[0]), static_cast<std::uint32_t>(head[1]), {}, {}};
  bytes.remove_prefix(sizeof head);
  for (auto* const to : {&band.first, &band.next}) {
    to->resize(to == &band.first ? head[2] : head[3]);
    const auto size = to->size() * sizeof(number_run);
    if (size > 0) std::memcpy(to->data(), bytes.data(), size);
    bytes.remove_prefix(size);
  }
  return band;
}

/// What the objects of a band are called in the end.
struct band_numbers {
  std::uint32_t objects = 0;  // that begin in it
  block_answer answer;
};

std::string bytes_of(const band_numbers& band) {
  const auto& [before, moved, target] = band.answer;
  const std::array<std::uint64_t, 3> head{band.objects, before, moved.size()};
  return std::string(reinterpret_cast<const char*>(head.data()), sizeof head) + macareu::bytes_of(moved) +
         macareu::bytes_of(target);
}
band_numbers numbers_from(const std::string& bytes) {
  std::array<std::uint64_t, 3> head{};
  std::memcpy(head.data(), bytes.data(), sizeof head);
  const auto targets = sizeof head + head[2] * sizeof(std::uint32_t);
  return {static_cast<std::uint32_t>(head[0]),
          {head[1], macareu::numbers_in<std::uint32_t>(bytes.substr(sizeof head, targets - sizeof head)),
           macareu::numbers_in<std::uint64_t>(bytes.substr(targets))}};
}

/// Bands of one process that are joined in a work file, and their numbers.
class bands_in_file {
 public:
  bands_in_file(run& of, const piece_grid& grid, const host_threads& threads)
      : grid_(grid),
        threads_(threads),
        joins_(of, {{0, 0, 0}, grid.counts()}),
        objects_(static_cast<std::size_t>(grid.count())),
        numbers_(objects_.size()) {}

  void add(std::int64_t band, band_record found) {
    objects_[static_cast<std::size_t>(band)] = found.objects;
    joins_.tell(grid_.place(band), alone(std::move(found)).told());
  }
  /// The number of all objects.
  std::uint64_t join() {
    std::uint64_t count = 0;
    const auto make = [&] { return rank_bands({}, threads_); };
    joins_.join(make, [&](site piece, const std::string& answer) {
      const auto band = static_cast<std::size_t>(grid_.number(piece));
      auto merged = alone({objects_[band], 0, {}, {}}).numbered(answer);
      count = merged.count;
      numbers_[band] = joins_.file().add(bytes_of({objects_[band], std::move(merged.blocks[0])}));
    });
    return count;
  }
  /// After join().
  band_numbers numbers(std::int64_t band) const {
    return numbers_from(joins_.file().read(numbers_[static_cast<std::size_t>(band)]));
  }

 private:
  rank_bands alone(band_record band) const {
    std::vector<band_record> one;
    one.push_back(std::move(band));
    return {std::move(one), threads_};
  }

  const piece_grid& grid_;
  host_threads threads_;
  region_joins joins_;
  std::vector<std::uint32_t> objects_;  // of each band
  std::vector<nameless_file::place> numbers_;
};

/// The numbers of all bands: those of other ranks are in files, for ranks that take their bands.
class numbers_of_bands {
 public:
  numbers_of_bands(run& of, const piece_grid& grid, std::vector<band_numbers> own)
      : run_(of), grid_(grid), own_(std::move(own)), files_(of, of.name_of_pass()) {
    std::vector<place> places;
    std::string all;
    const auto head = static_cast<std::int64_t>(own_.size() * sizeof(place));
    for (const auto& band : own_) {
      const auto begin = all.size();
      all += bytes_of(band);
      places.push_back({head + static_cast<std::int64_t>(begin), all.size() - begin});
    }
    all = macareu::bytes_of(places) + all;
    files_.add(all.data(), all.size());
    run_.all_ranks().meet();
  }

  band_numbers of(std::int64_t band) const {
    int owner = 0;
    while (!run_.pieces_of(grid_, owner, owner + 1).contains(grid_.place(band))) ++owner;
    const auto first = run_.pieces_of(grid_, owner, owner + 1).first;
    const auto at = static_cast<std::size_t>(band - grid_.number(first));
    if (owner == run_.rank()) return own_[at];
    place there{};
    files_.read(owner, static_cast<std::int64_t>(at * sizeof there), &there, sizeof there);
    std::string bytes(there.bytes, '\0');
    files_.read(owner, there.offset, bytes.data(), bytes.size());
    return numbers_from(bytes);
  }
  void remove_files() const { files_.remove(); }

 private:
  struct place {
    std::int64_t offset;
    std::uint64_t bytes;
  };

  run& run_;
  const piece_grid& grid_;
  std::vector<band_numbers> own_;
  rank_files files_;
};

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

namespace {

surroundings surroundings_of_bands(const node& image, bool volume) {
  surroundings beside{image.halo(), image.chunk(), sizeof(rim_pair), 3 * sizeof(rim_pair),
                      tuning::bands_of_a_rank};
  ++(volume ? beside.halo.z : beside.halo.y);
  // The message and the lists of a region, and as much of both regions joined: a run of each pixel, and an
  // object that has moved. Then pairs of objects, and nodes for them.
  beside.open_bytes = 4 * (sizeof(number_run) + sizeof(std::uint32_t) + sizeof(std::uint64_t)) +
                      sizeof(rim_pair) + 2 * sizeof(std::uint64_t);
  return beside;
}

}  // namespace

site band_size(const run& of, const node& image, std::size_t label_bytes, bool volume) {
  const auto bytes = image.room() + 4 + 2 * static_cast<std::int64_t>(label_bytes) + 2 * tuning::engine_bytes;
  return of.piece_size(image.whole, bytes, band_axes(volume), surroundings_of_bands(image, volume));
}

std::pair<node_ptr, std::uint64_t> component_bands::join(std::size_t label_bytes, const file_form& form,
                                                         const host_threads& threads) const {
  const auto whole = image_->whole;
  const auto result = std::make_shared<stored>(run_, whole, label_bytes,
                                               band_size(run_, *image_, label_bytes, volume_), form);
  const auto& grid = result->grid();
  const auto labelled = [&run = run_, volume = volume_, image = image_, number = number_, whole](
                            const box& band, const box* next) {
    const auto pixels = image->read(with_next(band, volume, whole));
    if (next) image->expect(with_next(*next, volume, whole));
    block numbers(*run.memory, pixels.where, sizeof(std::uint32_t));
    return std::pair(numbers, number(numbers, pixels));
  };
  const auto record = run_.next_record();
  const auto found_in = [&](std::int64_t b, std::optional<std::int64_t> next) -> std::string {
    if (run_.found(record, b)) return *run_.done.recall(record, b);
    const auto band = grid.piece(b);
    const auto next_band = next ? std::optional(grid.piece(*next)) : std::nullopt;
    const auto [numbers, count] = labelled(band, next_band ? &*next_band : nullptr);
    if (count > std::numeric_limits<std::uint32_t>::max())
      throw usage_error("pieces: " + std::to_string(count) +
                        " objects in one piece are more than 32 bits count; use smaller pieces");
    auto found = bytes_of(record_of(numbers, static_cast<std::uint32_t>(count), band, volume_, threads));
    run_.done.record(record, b, std::as_bytes(std::span(found)));
    return found;
  };
  const auto renumbered = [labelled, label_bytes, threads, file = result.get(), &run = run_](
                              std::int64_t b, std::optional<std::int64_t> next, const band_numbers& known) {
    const auto band = file->grid().piece(b);
    const auto next_band = next ? std::optional(file->grid().piece(*next)) : std::nullopt;
    const auto found = labelled(band, next_band ? &*next_band : nullptr).first;
    block labels(*run.memory, band, label_bytes);
    if (label_bytes == 4)
      renumber(labels, found, numbers_of<std::uint32_t>(known.answer, known.objects), threads);
    else
      renumber(labels, found, numbers_of<std::uint64_t>(known.answer, known.objects), threads);
    return labels;
  };
  const auto complete = [&](std::function<band_numbers(std::int64_t)> numbers) {
    result->finish_later([renumbered, numbers = std::move(numbers), file = result.get(),
                          &run = run_](std::int64_t b) -> std::optional<block> {
      return renumbered(b, run.next_piece(file->grid(), b), numbers(b));
    });
  };
  if (run_.spills_rims(whole, grid.size(), surroundings_of_bands(*image_, volume_))) {
    const auto all = std::make_shared<bands_in_file>(run_, grid, threads);
    share_pieces(run_, grid, found_in,
                 [&](std::int64_t b, const std::string& found) { all->add(b, record_from(found)); });
    const auto count = all->join();
    result->set_labels(count);
    complete([all](std::int64_t b) { return all->numbers(b); });
    return {result, count};
  }
  std::map<std::int64_t, band_record> bands;  // of this rank
  share_pieces(run_, grid, found_in,
               [&](std::int64_t b, const std::string& found) { bands[b] = record_from(found); });
  const auto first_band = bands.empty() ? 0 : bands.begin()->first;
  std::vector<band_record> own;
  std::vector<band_numbers> numbers;
  for (auto& [b, band] : bands) {
    numbers.push_back({band.objects, {}});
    own.push_back(std::move(band));
  }
  auto merged = merge_bands(run_, std::move(own), threads);
  result->set_labels(merged.count);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i].answer = std::move(merged.blocks[i]);
  if (run_.is_shared()) {
    const numbers_of_bands all(run_, grid, std::move(numbers));
    result->fill(
        [&](std::int64_t b, std::optional<std::int64_t> next) { return renumbered(b, next, all.of(b)); });
    all.remove_files();
  } else {
    complete([numbers = std::move(numbers), first_band](std::int64_t b) {
      return numbers[static_cast<std::size_t>(b - first_band)];
    });
  }
  return {result, merged.count};
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

object_room::object_room(run& of) : run_(of), bytes_(of.share_of_limit()) {
  // The limit is not known while a run is planned.
  if (run_.plans)
    ++run_.shares;
  else if (run_.is_limited())
    run_.held += bytes_;
}

object_room::~object_room() {
  if (run_.plans)
    --run_.shares;
  else if (run_.is_limited())
    run_.held -= bytes_;
}

std::int64_t object_room::objects(std::size_t row_bytes) const {
  if (!run_.is_limited()) return std::numeric_limits<std::int64_t>::max();
  return bytes_ / static_cast<std::int64_t>(row_bytes + tuning::bytes_of_a_number);
}

template <class Label>
std::vector<box> parts_of_band(const framed<const Label>& labels, const box& band, bool volume,
                               std::int64_t objects) {
  if (band.pixels() <= objects) return {band};
  const auto& from = labels.pixels();
  const auto first = band.first - labels.origin();
  const std::vector<Label> nothing(static_cast<std::size_t>(from.width));
  // The first pixel of an object in a slice has another label than those before and above it. In its first
  // slice it differs from that in front of it too.
  const auto begin_in = [&](std::int64_t z, std::int64_t y, bool in_first_slice) {
    const Label* const row = from.at(z, y);
    const Label* const above = y > 0 ? from.at(z, y - 1) : nothing.data();
    const Label* const in_front = in_first_slice ? nothing.data() : from.at(z - 1, y);
    std::int64_t count = (row[0] != 0) & (above[0] != row[0]) & (in_front[0] != row[0]);
    for (std::int64_t x = 1; x < from.width; ++x)
      count += (row[x] != 0) & (row[x] != row[x - 1]) & (above[x] != row[x]) & (in_front[x] != row[x]);
    return count;
  };
  const auto begin_in_slice = [&](std::int64_t slice, bool is_first) {
    if (!volume) return begin_in(0, first.y + slice, true);
    std::int64_t count = 0;
    for (std::int64_t y = 0; y < from.height; ++y) count += begin_in(first.z + slice, y, is_first);
    return count;
  };
  const auto slices = volume ? band.size.z : band.size.y;
  std::vector<box> parts;
  box part = band;
  auto& begin = volume ? part.first.z : part.first.y;
  auto& size = volume ? part.size.z : part.size.y;
  size = 0;
  std::int64_t count = 0;
  for (std::int64_t slice = 0; slice < slices; ++slice) {
    auto more = begin_in_slice(slice, size == 0);
    if (size > 0 && more > objects - count) {
      parts.push_back(part);
      begin += size;
      size = count = 0;
      if (volume) more = begin_in_slice(slice, true);
    }
    ++size;
    count += more;
  }
  parts.push_back(part);
  return parts;
}

template std::vector<box> parts_of_band(const framed<const std::uint32_t>&, const box&, bool, std::int64_t);
template std::vector<box> parts_of_band(const framed<const std::uint64_t>&, const box&, bool, std::int64_t);
template local_numbers numbers_in_use(block_memory&, const framed<const std::uint32_t>&);
template local_numbers numbers_in_use(block_memory&, const framed<const std::uint64_t>&);

}  // namespace macareu::pieces
