// What the ranks of a run in pieces know of its results, brought together.
#pragma once

#include <macareu/context.hpp>
#include <macareu/pieces.hpp>
#include <macareu/table.hpp>

#include "engines/pieces/run.hpp"

namespace macareu {

/// What all ranks did, of which each knows its part.
void add_ranks(const piece_options& options, piece_report& report);

/// Tables of ranks: those that they share hold the rows of one rank until now, others all rows on each.
void finish_table(const piece_options& options, pieces::run& run, table& result, run_report& report);

}  // namespace macareu
