#include "operators/objects/regions/watershed_checks.hpp"

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

void refuse_marker(const call& call, const std::string& value, site p, bool inside) {
  const auto got = ", got " + value + " at " + place(call, p);
  if (inside) refuse(call, {input_named("markers"), ": expected labels from 0 to 4294967293" + got}, value);
  refuse(call, {input_named("markers"), ": expected 0 outside ", input_named("mask"), got}, value);
}

void refuse_no_markers(const call& call) {
  refuse(call, {input_named("markers"), " are 0 everywhere: there is nothing to start from"}, "0");
}

std::string marker_text(std::uint64_t bits, int bytes, bool is_signed) {
  if (!is_signed) return std::to_string(bits);
  const int unused = 64 - 8 * bytes;
  return std::to_string(static_cast<std::int64_t>(bits << unused) >> unused);
}

}  // namespace macareu
