// The output of --report: one JSON object about a run.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <macareu/catalogue.hpp>
#include <macareu/context.hpp>
#include <macareu/image.hpp>
#include <macareu/pieces.hpp>

namespace macareu::tool {

/// What a process did while it computed the outputs.
struct rank_record {
  std::int64_t bytes_up = 0;  ///< sent toward the root of their tree
  double seconds = 0;
  double waiting = 0;  ///< of them, for messages of other ranks
  double user = 0,
         system = 0;  ///< processor seconds of all threads; those of the system read and write files
};

struct run_record {
  std::string name;
  arguments parameters;  ///< all, with defaults, and those of the object outputs
  extents shape;
  dtype type = dtype::u8;
  int repeat = 1;
  run_report run;  ///< of the last computation
  double read_seconds = 0;
  double transfer_seconds = 0;  ///< the median
  double compute_seconds = 0;   ///< likewise
  double write_seconds = 0;
  std::optional<piece_report> pieces = {};  ///< of a run in pieces
  std::vector<rank_record> ranks = {};      ///< the processes that shared it, or this one
};

/// All parameters of an operator: the given ones, and defaults for the others.
arguments with_defaults(const operator_description& about, arguments given);

std::string to_json(const run_record& record);
std::string to_json(const argument& value);

}  // namespace macareu::tool
