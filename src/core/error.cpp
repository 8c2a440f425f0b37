#include <macareu/error.hpp>

#include <algorithm>

namespace macareu {
namespace {

std::shared_ptr<const call_problem> kept(call_problem problem, const std::string& told_by) {
  if (!told_by.empty()) problem.parts.insert(problem.parts.begin(), told_by);
  return std::make_shared<const call_problem>(std::move(problem));
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

call_error::call_error(call_problem problem, const std::string& told_by)
    : usage_error(problem.operation, problem.text(&error_part::text), told_by),
      problem_(kept(std::move(problem), told_by)) {}

unfinished_error::unfinished_error(const io_error& cause)
    : io_error(cause, "; what is done is kept"), cause_(std::string_view(cause.what()).size()) {}

}  // namespace macareu
