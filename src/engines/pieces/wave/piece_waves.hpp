// A bottleneck wave in pieces: every piece is solved alone, a graph of all rims gives the final values on
// them, and these are brought into the pieces. Inputs are read at most twice, whatever the image.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/host_threads.hpp"
#include "engines/cpu/wave/keyed_rows.hpp"
#include "engines/pieces/computed.hpp"
#include "engines/pieces/files/file_access.hpp"
#include "engines/pieces/files/nameless_file.hpp"
#include "engines/pieces/files/store.hpp"
#include "engines/pieces/plan.hpp"
#include "engines/pieces/region_joins.hpp"
#include "engines/pieces/wave/rim_graph.hpp"
#include "patterns/wave.hpp"

namespace macareu::pieces {

/// Lists of any size in work files, one for each rank that writes some.
class record_file {
 public:
  explicit record_file(run& of) : run_(of), path_(of.scratch_file()) {}
  ~record_file();
  record_file(const record_file&) = delete;
  record_file& operator=(const record_file&) = delete;

  /// Returns the offset in the file of this rank.
  std::int64_t append(const void* from, std::size_t bytes);
  void read(int writer, std::int64_t offset, void* to, std::size_t bytes);

 private:
  std::filesystem::path path_of(int writer) const;
  int descriptor(int writer);

  run& run_;
  std::filesystem::path path_;
  std::map<int, unique_descriptor> files_;  // by writer, opened for the first list
  std::int64_t end_ = -1;                   // of the file of this rank; -1 before its first list
};

/// The wave in terms of keys. Start and capacity are images, whatever the rule, so that operators share the
/// code; only the solver depends on pixel types.
template <class Key>
class piece_waves : public std::enable_shared_from_this<piece_waves<Key>> {
 public:
  /// images: the capacity and the start.
  piece_waves(run& of, const frame& whole, std::vector<node_ptr> images, piece_wave wave);

  /// The result; its pieces are completed when they are read.
  node_ptr first_pass(const file_form& form, const host_threads& threads);

 private:
  cpu::keyed_rows<Key> rows_of(const block& pixels) const {
    return {pixels.image<Key>(whole_).pixels(), code_};
  }
  void read_row(const block& from, site first, std::int64_t count, Key* to) const {
    rows_of(from).read(first - from.where.first, count, to);
  }
  /// Sets a state if it is lower; whether it was.
  bool raise(const block& to, site p, Key value) const;
  /// Whether a start of the row lies beyond its capacity, or one of them is NaN.
  bool is_beyond(std::span<const block> from, site first, std::int64_t count) const;

  /// A piece whose rim is summarised while the next one is solved.
  struct solved_piece {
    std::int64_t piece;
    std::optional<block> state;  // until it is written
    std::vector<block> around;
    std::future<void> end;  // waited for before the others are gone
  };
  struct open_list {
    std::int64_t offset = 0;
    std::int64_t count = 0;  // -1: too many, the piece is solved again
    std::int64_t writer = 0;
  };

  /// Whether a start of a piece lies beyond its capacity, where that is refused.
  bool has_start_beyond(std::span<const block> from, const host_threads& threads) const;
  /// Loads keys_ with a piece, and finds where values may enter it.
  void load(std::int64_t piece, const block& result, std::span<const block> around,
            const host_threads& threads);
  /// What is known of the loaded piece beyond its rim's pixels.
  void flood(std::int64_t piece);
  /// After flood(): keeps open pixels, or finds edges where these were too many.
  void complete_summary(std::int64_t piece, const host_threads& threads);
  /// What the journal keeps of a piece, and its owner learns.
  std::string bytes_of(std::int64_t piece) const;
  rim_summary<Key> summary_in(std::int64_t piece, const std::string& bytes);
  std::optional<block> complete(stored& result, std::int64_t piece);
  static std::vector<block> parts(std::span<const block> blocks, const box& where);
  rim_graph<Key> graph_of_own_pieces() const;
  /// The place of an own piece in the graph.
  std::size_t place_of(std::int64_t piece) const;
  /// Of an own piece, whose list precedes it.
  void add_summary(std::int64_t piece, const std::string& found);
  /// Values on the rims of own pieces, from all ranks.
  void solve_rims();
  void solve_regions();
  /// After solve_rims().
  std::vector<Key> values_on_rim(std::int64_t piece) const;

  run& run_;
  frame whole_;
  neighbourhood near_;
  std::vector<node_ptr> images_;
  cpu::key_code<Key> code_;
  wave_solver solve_;
  std::function<void()> refuse_;
  piece_grid grid_;
  box own_;                                   // this rank's, among the pieces
  rim_graph<Key> graph_;                      // without rims where these lie in a file
  std::optional<region_joins> regions_;       // and are joined by it
  std::vector<nameless_file::place> values_;  // of the rims there, by place in the graph
  rim_flood<Key> flood_;
  piece_keys<Key> keys_;
  rim_summary<Key> summary_;           // of the piece that is loaded
  std::vector<open_pixel<Key>> open_;  // of it
  bool is_flooded_ = false;            // false: its open pixels are too many
  std::vector<open_list> lists_;
  std::vector<bool> is_recalled_;  // from the journal, by piece
  record_file records_;
};

}  // namespace macareu::pieces
