// What an engine in pieces does that depends neither on rules nor on pixel types: compiled once.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/call.hpp"
#include "core/function_ref.hpp"
#include "core/host_threads.hpp"
#include "engines/pieces/component/bands.hpp"
#include "engines/pieces/computed.hpp"
#include "engines/pieces/image.hpp"
#include "engines/pieces/outputs.hpp"
#include "engines/pieces/row_shares.hpp"
#include "engines/pieces/run.hpp"
#include "engines/pieces/tallied_rows.hpp"
#include "patterns/window.hpp"

namespace macareu::pieces {

/// Solves a piece of a wave alone: the states from their start and capacity, all of one pixel type.
using wave_solver = std::function<void(const block& to, const block& start, const block& capacity)>;

/// A wave whose start and capacity are images. `flip` and `negative` are those of its key_code.
struct piece_wave {
  neighbourhood near;
  any_image capacity, start;
  std::uint64_t flip, negative;
  wave_solver solve;
  std::function<void()> refuse;  // throws, where a start beyond its capacity is an error; otherwise empty
};

class plan {
 public:
  using images = std::initializer_list<const any_image*>;

  explicit plan(job& work) : run_(*work.pieces), work_(work), outputs_(run_) {}

  any_image input(const call& call, std::size_t index);
  any_image output(const call& call, std::size_t index);
  /// refuse(p) throws for the first NaN of an input. Called when the passes read it, not in one of its own.
  void refuse_nan_while_reading(const call& call, std::size_t index, std::function<void(site)> refuse);

  /// Results that are computed where they are read.
  void set_map(const any_image& out, std::size_t bytes, images in, computed::function how);
  void set_window(const any_image& out, std::size_t bytes, const any_image& in, window_radius reach,
                  border_mode mode, whole_axes axes, computed::function how);
  void set_gathered(const any_image& out, std::size_t bytes, const any_image& in, resampled::source from,
                    computed::function how);
  void set_lines(const any_image& out, std::size_t bytes, images in, line_axis axis, computed::function how);

  /// visit(blocks) for all pieces of images, each on one of the ranks.
  void over_parts(images in, function_ref<void(std::span<const block>)> visit);
  using band_visit = function_ref<void(const box&, std::span<const block>)>;
  /// visit(band, blocks) for all bands in order, with blocks that reach beyond them.
  void over_bands(images in, band_visit visit) { over_bands(in, true, visit); }
  /// The same in any order, for each band on one of the ranks.
  void over_shared_bands(images in, band_visit visit) { over_bands(in, false, visit); }
  /// Joins values of all ranks, each of so many bytes: join(own, other). No-op on one rank.
  void join_ranks(void* values, std::size_t count, std::size_t bytes,
                  function_ref<void(void*, const void*)> join);

  /// The objects that this rank describes.
  label_share label_share_of_rank(std::uint64_t labels) const;
  /// As many as any rank describes.
  std::uint64_t largest_label_share(std::uint64_t labels) const;
  /// Fills `all` with the bytes that each rank has, one after the other.
  void gather_rows(std::span<const std::byte> own, std::byte* all);

  template <class Key>
  void set_wave(const any_image& out, piece_wave wave, const host_threads& threads);
  std::uint64_t set_components(const any_image& labels, std::size_t bytes, bool volume, const any_image& in,
                               component_bands::labelling number, const host_threads& threads);
  template <class Label>
  void set_recoded(const any_image& labels, tallied_rows<Label> number, const host_threads& threads);

  /// Inputs that can be read in any boxes.
  std::vector<node_ptr> in_any_shape(images in);
  file_form form_of(const any_image& out) const;
  void read_pixel(const any_image& from, site p, void* to);
  void finish();

 protected:
  run& run_;

 private:
  node_ptr in_any_shape(node_ptr result);
  /// Inputs of one pass need whole lines along the same axes, or along none.
  std::vector<node_ptr> agreeing(images in);
  void set(const any_image& out, std::size_t bytes, std::vector<node_ptr> inputs, window_radius reach,
           whole_axes axes, bool wraps, computed::function how);
  void over_bands(images in, bool all, band_visit visit);
  void over(const piece_grid& grid, const std::vector<node_ptr>& from, window_radius reach, bool all,
            band_visit visit);

  job& work_;
  input_slots inputs_;
  output_slots outputs_;
};

}  // namespace macareu::pieces
