// A pass over pieces that all ranks share: a rank without pieces of its own left takes pieces of others.
//
// A rank takes a piece by making a file for it, which only one of them can. What it finds there goes to the
// rank that owns the piece through another file: messages tell only where it lies.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/function_ref.hpp"
#include "engines/pieces/box.hpp"
#include "engines/pieces/run.hpp"

namespace macareu::pieces {

/// give(piece, found): what a visit found, for the rank that owns the piece.
using give_found = function_ref<void(std::int64_t, const std::string&)>;

/// visit(piece, next, give) for each piece, on one of the ranks. `next` is likely to be visited after it. The
/// visit, a later one or rest(give), which follows the last, gives what it found. take(piece, found) gets it
/// on the rank that owns the piece; its order is any. All ranks call this, after what they read is written.
void share_pieces(run& of, const piece_grid& grid,
                  function_ref<void(std::int64_t, std::optional<std::int64_t>, give_found)> visit,
                  function_ref<void(give_found)> rest, give_found take);
/// The same for visits that return what they found.
void share_pieces(run& of, const piece_grid& grid,
                  function_ref<std::string(std::int64_t, std::optional<std::int64_t>)> visit,
                  give_found take);
/// The same for visits that owners need not know of.
void share_pieces(run& of, const piece_grid& grid,
                  function_ref<void(std::int64_t, std::optional<std::int64_t>)> visit);

}  // namespace macareu::pieces
