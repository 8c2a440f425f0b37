// A bottleneck wave in pieces: every piece is solved alone, a graph of all rims gives the final values on
// them, and these are brought into the pieces. Inputs are read at most twice, whatever the image.
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/host_threads.hpp"
#include "engines/pieces/computed.hpp"
#include "engines/pieces/store.hpp"
#include "engines/pieces/wave/rim_graph.hpp"
#include "patterns/wave.hpp"

namespace macareu::pieces {

/// Lists of any size in a work file.
class record_file {
 public:
  explicit record_file(run& of) : run_(of), path_(of.scratch_file()) {}
  ~record_file();
  record_file(const record_file&) = delete;
  record_file& operator=(const record_file&) = delete;

  /// Returns the offset.
  std::int64_t append(const void* from, std::size_t bytes);
  void read(std::int64_t offset, void* to, std::size_t bytes);
  /// The next list comes behind this end of one that an earlier run wrote.
  void reserve(std::int64_t end) { end_ = std::max(end_, end); }

 private:
  int descriptor();

  run& run_;
  std::filesystem::path path_;
  int descriptor_ = -1;  // opened for the first list
  std::int64_t end_ = 0;
};

/// The wave in terms of keys; what depends on the rule and on pixel types is virtual.
template <class Key>
class piece_waves : public std::enable_shared_from_this<piece_waves<Key>> {
 public:
  /// images: the inputs of the rule, then the start. refuse: throws, where a start that lies beyond its
  /// capacity is an error; otherwise empty.
  piece_waves(run& of, const frame& whole, const neighbourhood& near, std::vector<node_ptr> images,
              std::size_t state_bytes, std::size_t rule_inputs, std::function<void()> refuse);
  virtual ~piece_waves();

  /// The result; its pieces are completed when they are read.
  node_ptr first_pass(const std::string& header, const host_threads& threads);

 protected:
  virtual void capacity_row(std::span<const block> from, site first, std::int64_t count, Key* to) const = 0;
  virtual void state_row(const block& from, site first, std::int64_t count, Key* to) const = 0;
  /// Sets a state if it is lower; whether it was.
  virtual bool raise(const block& to, site p, Key value) const = 0;
  virtual void solve(const block& to, const block& start, std::span<const block> from) = 0;
  /// Whether a start of the row lies beyond its capacity, or one of them is NaN.
  virtual bool is_beyond(std::span<const block> from, site first, std::int64_t count) const = 0;

 private:
  struct open_list {
    std::int64_t offset = 0;
    std::int64_t count = 0;  // -1: too many, the piece is solved again
  };

  void check(std::span<const block> from, const host_threads& threads);
  rim_summary<Key> summarise(std::int64_t piece, const block& result, std::span<const block> around,
                             const host_threads& threads);
  /// What the journal keeps of a piece.
  std::string bytes_of(std::int64_t piece, const rim_summary<Key>& summary) const;
  rim_summary<Key> recalled(std::int64_t piece, const std::string& bytes);
  /// was_begun: a run that was killed may have written a part of the piece, so its rim does not tell whether
  /// it is complete.
  std::optional<block> complete(stored& result, std::int64_t piece, bool was_begun);
  static std::vector<block> parts(std::span<const block> blocks, const box& where);

  run& run_;
  frame whole_;
  neighbourhood near_;
  std::vector<node_ptr> images_;
  std::size_t state_bytes_, rule_inputs_;
  std::function<void()> refuse_;
  piece_grid grid_;
  rim_graph<Key> graph_;
  rim_flood<Key> flood_;
  piece_keys<Key> keys_;
  std::vector<open_list> lists_;
  record_file records_;
};

}  // namespace macareu::pieces
