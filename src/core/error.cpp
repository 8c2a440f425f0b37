#include <macareu/error.hpp>

#include <algorithm>

namespace macareu {
namespace {

std::string message_of(const call_problem& problem) {
  const auto text = problem.text(&error_part::text);
  return problem.operation.empty() ? text : problem.operation + ": " + text;
}

}  // namespace

const error_part* call_problem::subject() const {
  const auto named = [](const error_part& part) { return part.is != error_part::role::words; };
  const auto found = std::ranges::find_if(parts, named);
  return found == parts.end() ? nullptr : &*found;
}

std::string call_problem::text(const std::function<std::string(const error_part&)>& spelled) const {
  std::string all;
  for (const auto& part : parts) all += part.is == error_part::role::words ? part.text : spelled(part);
  return all;
}

call_error::call_error(call_problem problem)
    : usage_error(message_of(problem)), problem_(std::make_shared<const call_problem>(std::move(problem))) {}

}  // namespace macareu
