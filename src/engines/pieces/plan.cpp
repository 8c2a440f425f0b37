#include "engines/pieces/plan.hpp"

#include <cstring>
#include <memory>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

#include <macareu/ranks.hpp>

#include "core/ceil_div.hpp"
#include "engines/pieces/files/rank_files.hpp"
#include "engines/pieces/shared_pass.hpp"
#include "engines/pieces/tallied_rows.hpp"
#include "engines/pieces/tuning.hpp"
#include "engines/pieces/wave/piece_waves.hpp"

namespace macareu::pieces {
namespace {

whole_axes only(line_axis axis) { return {axis == line_axis::z, axis == line_axis::y, axis == line_axis::x}; }

}  // namespace

any_image plan::input(const call& call, std::size_t index) {
  auto& source = *static_cast<image_source*>(const_cast<void*>(call.inputs[index].data()));
  return any_image(inputs_.slot_of(run_, source, source.form().channels == 1 ? 0 : call.channel));
}

void plan::refuse_nan_while_reading(const call& call, std::size_t index, std::function<void(site)> refuse) {
  const auto image = std::dynamic_pointer_cast<source_node>(input(call, index).result());
  image->refuse_nan(std::move(refuse));
  run_.deferred_checks.push_back([image] { image->refuse_first_nan(); });
}

any_image plan::output(const call& call, std::size_t index) {
  auto& sink = *static_cast<image_sink*>(call.outputs[index].data());
  return any_image(outputs_.slot_of(sink, call.outputs[index], call.channel));
}

void plan::set(const any_image& out, std::size_t bytes, std::vector<node_ptr> inputs, window_radius reach,
               whole_axes axes, bool wraps, computed::function how) {
  out.set(std::make_shared<computed>(run_, out.whole(), bytes, std::move(inputs), reach, axes, wraps,
                                     std::move(how)));
}

void plan::set_map(const any_image& out, std::size_t bytes, images in, computed::function how) {
  set(out, bytes, agreeing(in), {0, 0, 0}, {}, false, std::move(how));
}

void plan::set_window(const any_image& out, std::size_t bytes, const any_image& in, window_radius reach,
                      border_mode mode, whole_axes axes, computed::function how) {
  const bool wraps = mode == border_mode::wrap && !axes.any();
  if (axes.any()) reach = {0, 0, 0};
  set(out, bytes, {in_any_shape(in.result())}, reach, axes, wraps, std::move(how));
}

void plan::set_gathered(const any_image& out, std::size_t bytes, const any_image& in, resampled::source from,
                        computed::function how) {
  out.set(std::make_shared<resampled>(run_, out.whole(), bytes, in_any_shape(in.result()), std::move(from),
                                      std::move(how)));
}

void plan::set_lines(const any_image& out, std::size_t bytes, images in, line_axis axis,
                     computed::function how) {
  std::vector<node_ptr> inputs;
  for (const auto* image : in) {
    auto result = image->result();
    inputs.push_back(result->axes() == only(axis) ? result : in_any_shape(result));
  }
  set(out, bytes, std::move(inputs), {0, 0, 0}, only(axis), false, std::move(how));
}

node_ptr plan::in_any_shape(node_ptr result) {
  return result->axes().any() ? outputs_.in_file(result) : result;
}

std::vector<node_ptr> plan::in_any_shape(images in) {
  std::vector<node_ptr> results;
  for (const auto* image : in) results.push_back(in_any_shape(image->result()));
  return results;
}

std::vector<node_ptr> plan::agreeing(images in) {
  std::vector<node_ptr> results;
  whole_axes first;
  for (const auto* image : in) {
    auto result = image->result();
    if (!first.any()) first = result->axes();
    results.push_back(result->axes() == first ? result : in_any_shape(result));
  }
  return results;
}

void plan::over(const piece_grid& grid, const std::vector<node_ptr>& from, window_radius reach, bool all,
                band_visit visit) {
  const auto& whole = from[0]->whole;
  if (run_.plans) return;
  const auto visit_piece = [&](std::int64_t piece, std::optional<std::int64_t> next) {
    const auto blocks = read_all(from, grown(grid.piece(piece), reach, whole));
    if (next) expect_all(from, grown(grid.piece(*next), reach, whole));
    visit(grid.piece(piece), blocks);
  };
  if (all)
    run_.over_all_pieces(grid, [&](std::int64_t piece) { visit_piece(piece, grid.after(piece)); });
  else
    share_pieces(run_, grid, visit_piece);
}

void plan::join_ranks(void* values, std::size_t count, std::size_t bytes,
                      function_ref<void(void*, const void*)> join) {
  if (!run_.is_shared()) return;
  // Values in a text are not aligned.
  const auto aligned = [&](const std::string& from) {
    auto copy = std::make_unique<std::byte[]>(from.size());
    std::memcpy(copy.get(), from.data(), from.size());
    return copy;
  };
  const std::string own(static_cast<const char*>(values), count * bytes);
  const auto all = run_.all_ranks().exchange(
      own, {[&](const rank_range&, const std::string& first, const std::string& second) {
        const auto joined = aligned(first), other = aligned(second);
        for (std::size_t i = 0; i < count; ++i) join(joined.get() + i * bytes, other.get() + i * bytes);
        return std::string(reinterpret_cast<const char*>(joined.get()), first.size());
      }});
  std::memcpy(values, all.data(), all.size());
}

label_share plan::label_share_of_rank(std::uint64_t labels) const {
  const auto& all = run_.all_ranks();
  return share_of_labels(labels, all.size(), all.rank(), all.rank() + 1);
}

std::uint64_t plan::largest_label_share(std::uint64_t labels) const {
  return ceil_div(labels, static_cast<std::uint64_t>(run_.all_ranks().size()));
}

void plan::gather_rows(std::span<const std::byte> own, std::byte* all) {
  gather_in_files(run_, {reinterpret_cast<const char*>(own.data()), own.size()}, [&](std::string_view rows) {
    std::memcpy(all, rows.data(), rows.size());
    all += rows.size();
  });
}

void plan::over_parts(images in, function_ref<void(std::span<const block>)> visit) {
  const auto from = agreeing(in);
  const auto& whole = from[0]->whole;
  const piece_grid grid(
      whole, run_.piece_size(whole, room_of(from) + tuning::engine_bytes, axes_of(from), around(from)));
  if (run_.plans) {
    // One pixel of zeros: later passes may depend on what is found.
    std::vector<block> zeros;
    for (const auto& image : from)
      zeros.push_back(planned(run_, whole, image->pixel_bytes).read({{0, 0, 0}, {1, 1, 1}}));
    return visit(zeros);
  }
  over(grid, from, {0, 0, 0}, false, [&](const box&, std::span<const block> blocks) { visit(blocks); });
}

void plan::over_bands(images in, bool all, band_visit visit) {
  const auto& whole = (*in.begin())->whole();
  const auto axes = band_axes(whole.depth > 1);
  std::vector<node_ptr> from;
  for (const auto* image : in) {
    auto result = image->result();
    from.push_back((result->axes() | axes) == axes ? result : in_any_shape(result));
  }
  const auto bytes = room_of(from) + 8 + 2 * tuning::engine_bytes;
  const auto reach = outline_reach(whole.depth > 1);
  auto beside = around(from);
  beside.halo = {beside.halo.z + reach.z, beside.halo.y + reach.y, beside.halo.x + reach.x};
  if (!all) beside.of_a_rank = tuning::bands_of_a_rank;
  over(piece_grid(whole, run_.piece_size(whole, bytes, axes, beside)), from, reach, all, visit);
}

std::uint64_t plan::set_components(const any_image& labels, std::size_t bytes, bool volume,
                                   const any_image& in, component_bands::labelling number,
                                   const host_threads& threads) {
  auto from = in.result();
  if (!((from->axes() | band_axes(volume)) == band_axes(volume))) from = in_any_shape(from);
  if (run_.plans) {
    band_size(run_, *from, bytes, volume);
    labels.set(std::make_shared<planned>(run_, labels.whole(), bytes));
    return 1;  // some operators refuse images without objects
  }
  const component_bands bands(run_, volume, from, std::move(number));
  const auto [result, count] = bands.join(bytes, form_of(labels), threads);
  labels.set(result);
  return count;
}

template <class Label>
void plan::set_recoded(const any_image& labels, tallied_rows<Label> number, const host_threads& threads) {
  const auto numbers = std::make_shared<const tallied_rows<Label>>(std::move(number));
  set_map(labels, sizeof(Label), {&labels}, [numbers, threads](const block& to, std::span<const block> from) {
    const auto size = to.where.size;
    const auto* const final_numbers = numbers->begin();
    threads.for_each(static_cast<std::size_t>(size.z * size.y), [&](std::size_t row) {
      const auto z = to.where.first.z + static_cast<std::int64_t>(row) / size.y,
                 y = to.where.first.y + static_cast<std::int64_t>(row) % size.y;
      const auto* const in = reinterpret_cast<const Label*>(from[0].row(z, y));
      auto* const out = reinterpret_cast<Label*>(to.row(z, y));
      for (std::int64_t x = 0; x < size.x; ++x) out[x] = final_numbers[in[x]];
    });
    numbers->release();
  });
}
template void plan::set_recoded(const any_image&, tallied_rows<std::uint32_t>, const host_threads&);
template void plan::set_recoded(const any_image&, tallied_rows<std::uint64_t>, const host_threads&);

file_form plan::form_of(const any_image& out) const { return outputs_.form_of(*out.place()); }

void plan::read_pixel(const any_image& from, site p, void* to) {
  auto image = from.result();
  // A run that only plans reads pixels of inputs alone: weights of a kernel decide about halos. The place of
  // a pixel that it did not find may lie anywhere.
  if (run_.plans && !whole_box(image->whole).contains(p)) p = {0, 0, 0};
  if (run_.plans && !dynamic_cast<source_node*>(image.get()))
    image = std::make_shared<planned>(run_, image->whole, image->pixel_bytes);
  const auto pixel = image->read({p, {1, 1, 1}});
  std::memcpy(to, pixel.first, pixel.pixel_bytes);
}

void plan::finish() {
  outputs_.write();
  if (run_.plans) return;
  work_.report.strategy = run_.quiet.report.strategy;
  work_.report.threads = run_.quiet.report.threads;
}

}  // namespace macareu::pieces
