#include "operators/objects/watershed_checks.hpp"

#include <utility>
#include <vector>

#include <macareu/error.hpp>

#include "operators/common/checks.hpp"

namespace macareu {
namespace {

[[noreturn]] void refuse(const call& call, std::vector<error_part> parts, const std::string& given) {
  throw call_error({.kind = fault::pixels,
                    .operation = std::string(call.about.name),
                    .parts = std::move(parts),
                    .given = given});
}

}  // namespace

void refuse_marker_value(const call& call, const std::string& value, site p) {
  refuse(call,
         {input_named("markers"),
          ": expected labels from 0 to 4294967293, got " + value + " at " + place(call, p)},
         value);
}

void refuse_no_markers(const call& call) {
  refuse(call, {input_named("markers"), " are 0 everywhere: there is nothing to start from"}, "0");
}

void refuse_markers_outside(const call& call, const std::string& value, site p) {
  refuse(call,
         {"none of ", input_named("markers"), " is inside ", input_named("mask"),
          ": the first is " + value + " at " + place(call, p)},
         value);
}

std::string marker_text(std::uint64_t bits, int bytes, bool is_signed) {
  if (!is_signed) return std::to_string(bits);
  const int unused = 64 - 8 * bytes;
  return std::to_string(static_cast<std::int64_t>(bits << unused) >> unused);
}

}  // namespace macareu
