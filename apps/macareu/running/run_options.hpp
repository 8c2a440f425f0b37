// Options of every verb that computes: device, strategy, threads, memory, repetitions and report.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include <macareu/context.hpp>
#include <macareu/pieces.hpp>

#include "command/interruption.hpp"
#include "command/parser.hpp"

namespace macareu::tool {

struct run_options {
  context how;
  piece_options pieces;
  int repeat = 1;
  std::chrono::seconds stop_after{0};  ///< 0: never
  bool quiet = false;
  std::string report_file;
  std::string continued_by;  ///< the command for a shell that continues this one, from begin() on

  /// `pattern`: the pattern whose strategies apply. The parser keeps references to this object.
  void add_to(parser& options, std::string_view pattern);
  /// Device, threads, memory, pieces, scratch, ranks, stop-after and quiet alone.
  void add_limits_to(parser& options);
  /// Before the run: what it shares with other ranks, when it stops, and what continues it then.
  void begin(interruption& signals);
};

}  // namespace macareu::tool
