#include "engines/pieces/outputs.hpp"

#include <algorithm>
#include <cstring>
#include <optional>

#include "core/coding/coded_image.hpp"
#include "core/ranks/rank_shares.hpp"
#include "engines/pieces/computed.hpp"
#include "engines/pieces/piece_image.hpp"
#include "engines/pieces/shared_pass.hpp"

namespace macareu::pieces {

std::shared_ptr<slot> input_slots::slot_of(run& of, image_source& source, int channel) {
  auto& found = slots_[{&source, channel}];
  if (!found) {
    auto& shared = colours_[&source];
    if (!shared) shared = std::make_shared<colour_box>();
    const auto image = std::make_shared<source_node>(of, source, channel, shared);
    found = std::make_shared<slot>(slot{image->whole, image->pixel_bytes, image});
  }
  return found;
}

std::shared_ptr<slot> output_slots::slot_of(image_sink& sink, const image_view& form, int channel) {
  auto at = std::ranges::find(outputs_, &sink, &output::sink);
  if (at == outputs_.end()) {
    outputs_.push_back({&sink, {}});
    at = outputs_.end() - 1;
  }
  const auto& shape = form.shape();
  while (static_cast<int>(at->channels.size()) <= channel)
    at->channels.push_back(
        std::make_shared<slot>(slot{{shape.depth(), shape.height(), shape.width(), {0, 0, 0}},
                                    size_of(form.type()),
                                    {},
                                    static_cast<int>(at - outputs_.begin())}));
  return at->channels[static_cast<std::size_t>(channel)];
}

file_form output_slots::form_of(const slot& place) const {
  if (place.output < 0) return {};
  const auto& [sink, channels] = outputs_[static_cast<std::size_t>(place.output)];
  if (const auto* const work_image = dynamic_cast<const piece_image*>(sink))
    return {{}, work_image->chunk_of_files()};
  return {sink->header(), chunk_files_of(*sink)};
}

void output_slots::write() {
  std::vector<std::pair<image_sink*, std::shared_ptr<stored>>> finished;
  for (const auto& each : outputs_)
    if (auto file = write(each)) finished.emplace_back(each.sink, std::move(file));
  run_.meet();
  if (!run_.is_first_rank()) return;
  // Files that have become outputs may not be here for a run that resumes this one.
  if (!finished.empty() && !run_.keeps_outputs()) run_.done.record(run::is_over, 0);
  for (const auto& [sink, file] : finished) {
    sink->adopt(run_.handed_over(file->path()));
    run_.bytes_written += file->whole.pixels() * static_cast<std::int64_t>(file->pixel_bytes);
  }
}

namespace {

/// Channels of one box, interleaved.
block interleaved(run& of, const box& where, std::span<const block> channels) {
  const auto own = static_cast<std::int64_t>(channels[0].pixel_bytes),
             all = own * static_cast<std::int64_t>(channels.size());
  block packed(*of.memory, where, static_cast<std::size_t>(all));
  const site end = where.end();
  for (std::size_t c = 0; c < channels.size(); ++c)
    for (auto z = where.first.z; z < end.z; ++z)
      for (auto y = where.first.y; y < end.y; ++y) {
        const auto* const from = channels[c].row(z, y);
        auto* const to = packed.row(z, y) + static_cast<std::int64_t>(c) * own;
        if (channels.size() == 1)
          std::memcpy(to, from, static_cast<std::size_t>(where.size.x * own));
        else
          for (std::int64_t x = 0; x < where.size.x; ++x)
            std::memcpy(to + x * all, from + x * own, static_cast<std::size_t>(own));
      }
  return packed;
}

/// All channels of an output as one image.
class colour_node final : public node {
 public:
  colour_node(run& of, std::vector<node_ptr> channels)
      : node(channels[0]->whole, channels[0]->pixel_bytes * channels.size()),
        run_(of),
        channels_(std::move(channels)) {}

  block read(const box& where) override { return interleaved(run_, where, read_all(channels_, where)); }
  void expect(const box& where) override { expect_all(channels_, where); }
  std::int64_t room() const override { return room_of(channels_) + static_cast<std::int64_t>(pixel_bytes); }
  whole_axes axes() const override { return axes_of(channels_); }
  window_radius halo() const override { return around(channels_).halo; }
  site chunk() const override { return around(channels_).chunk; }

 private:
  run& run_;
  std::vector<node_ptr> channels_;
};

}  // namespace

site output_slots::size_in_file(const node& result) const {
  const auto bytes = result.room() + 3 * static_cast<std::int64_t>(result.pixel_bytes);
  return run_.piece_size(result.whole, bytes, result.axes(), {result.halo(), result.chunk()});
}

site output_slots::size_in_sink(const image_sink& sink, const std::vector<node_ptr>& results) const {
  const auto whole = results[0]->whole;
  const auto bytes = static_cast<std::int64_t>(results[0]->pixel_bytes * results.size());
  auto axes = axes_of(results);
  if (sink.in_order()) axes = axes | whole_axes{false, whole.depth > 1, true};
  const auto chunk = sink.chunk();
  auto beside = around(results);
  if (chunk != std::array<std::int64_t, 3>{})
    beside.chunk = {std::max<std::int64_t>(1, chunk[0]), std::max<std::int64_t>(1, chunk[1]),
                    std::max<std::int64_t>(1, chunk[2])};
  const auto size = run_.piece_size(whole, room_of(results) + 3 * bytes, axes, beside);
  const auto rounded = [](std::int64_t own, std::int64_t unit, std::int64_t all) {
    return unit == 0 || own >= all ? own : std::max(unit, own / unit * unit);
  };
  return {rounded(size.z, chunk[0], whole.depth), rounded(size.y, chunk[1], whole.height),
          rounded(size.x, chunk[2], whole.width)};
}

node_ptr output_slots::in_file(const node_ptr& result) {
  if (!run_.plans) return filled(result, {});
  size_in_file(*result);
  return std::make_shared<planned>(run_, result->whole, result->pixel_bytes);
}

std::shared_ptr<stored> output_slots::filled(const node_ptr& result, const file_form& form) {
  const auto file =
      std::make_shared<stored>(run_, result->whole, result->pixel_bytes, size_in_file(*result), form);
  const auto& grid = file->grid();
  file->fill([&](std::int64_t piece, std::optional<std::int64_t> next) {
    auto pixels = result->read(grid.piece(piece));
    if (next) result->expect(grid.piece(*next));
    return pixels;
  });
  return file;
}

std::shared_ptr<stored> output_slots::write(const output& each) {
  auto& sink = *each.sink;
  std::vector<node_ptr> results;
  for (const auto& channel : each.channels)
    if (channel->result) results.push_back(channel->result);
  if (results.size() != each.channels.size()) return nullptr;  // an operator that wrote nothing: no pixels
  const auto header = sink.header();
  // Work files without a header are coded, unless they are kept for a run that is resumed.
  if (header && (!header->empty() || run_.keeps_files() || run_.is_shared())) {
    const auto result = results.size() == 1 ? results[0] : std::make_shared<colour_node>(run_, results);
    auto file = std::dynamic_pointer_cast<stored>(result);
    if (run_.plans) {
      if (!dynamic_cast<planned*>(result.get())) size_in_file(*result);
      return nullptr;
    }
    if (!file || file->form().header != header) file = filled(result, {header, {}});
    file->finish();
    return file;
  }
  if (auto* const work_image = dynamic_cast<piece_image*>(&sink)) {
    auto file = std::dynamic_pointer_cast<stored>(results[0]);
    if (run_.plans) {
      if (!dynamic_cast<planned*>(results[0].get())) size_in_file(*results[0]);
      return nullptr;
    }
    if (!file) file = filled(results[0], {{}, work_image->chunk_of_files()});
    file->finish();
    work_image->adopt(file->split(), file->labels());
    if (run_.is_first_rank())
      run_.bytes_written += file->whole.pixels() * static_cast<std::int64_t>(file->pixel_bytes);
    return nullptr;
  }
  // One rank alone can write in order: what others compute comes through files.
  if (sink.in_order() && run_.is_shared()) {
    for (auto& result : results) result = in_file(result);
    if (!run_.is_first_rank()) return nullptr;
  }
  const auto bytes = static_cast<std::int64_t>(results[0]->pixel_bytes * results.size());
  auto* const work_file = dynamic_cast<coded_image*>(&sink);
  const auto file = std::dynamic_pointer_cast<stored>(results[0]);
  if (work_file && results.size() == 1 && file && file->coded()) {
    file->finish();
    work_file->adopt(file->coded());
    run_.bytes_written += file->whole.pixels() * bytes;
    return nullptr;
  }
  const piece_grid grid(results[0]->whole, size_in_sink(sink, results));
  if (run_.plans) return nullptr;
  if (results.size() == 1 && file && file->split() && file->split()->grid().size() == chunk_files_of(sink)) {
    file->finish();
    file->split()->become_chunks(sink, run_.is_shared() ? &run_.all_ranks() : nullptr,
                                 [&] { run_.work.check_stop(); });
    if (run_.is_first_rank()) run_.bytes_written += file->whole.pixels() * bytes;
    return nullptr;
  }
  std::vector<bool> is_mine(static_cast<std::size_t>(grid.count()));
  const auto write_piece = [&](std::int64_t piece, std::optional<std::int64_t> next) {
    const auto where = grid.piece(piece);
    is_mine[static_cast<std::size_t>(piece)] = true;
    if (run_.resumes() && run_.done.trusts_files() && sink.was_written(region_of(where))) {
      ++run_.report.found;
      return;
    }
    auto blocks = read_all(results, where);
    if (next) expect_all(results, grid.piece(*next));
    auto packed = blocks[0];
    if (blocks.size() > 1 || !packed.is_packed()) packed = interleaved(run_, where, blocks);
    blocks.clear();
    run_.files.write([&run = run_, &sink, packed, bytes] {
      sink.write(region_of(packed.where), packed.first);
      run.bytes_written += packed.where.pixels() * bytes;
    });
  };
  if (sink.in_order()) {
    run_.over_all_pieces(grid, [&](std::int64_t piece) { write_piece(piece, grid.after(piece)); });
    run_.files.wait();
    return nullptr;
  }
  share_pieces(run_, grid, write_piece);
  run_.meet();
  if (run_.is_shared() && run_.is_first_rank()) require_written(sink, grid, is_mine);
  return nullptr;
}

void output_slots::require_written(image_sink& sink, const piece_grid& grid,
                                   const std::vector<bool>& is_mine) {
  for (std::int64_t piece = 0; piece < grid.count(); ++piece)
    if (!is_mine[static_cast<std::size_t>(piece)] && !sink.was_written(region_of(grid.piece(piece))))
      throw no_pixels_of_others();
}

}  // namespace macareu::pieces
