#include "templates.hpp"

namespace macareu::converter {

std::string filled(std::string_view text, const std::map<std::string, std::string>& values) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const auto begin = text.find('@', at);
    const auto end = begin == std::string_view::npos ? begin : text.find('@', begin + 1);
    if (end == std::string_view::npos) return result.append(text.substr(at));
    const auto known = values.find(std::string(text.substr(begin + 1, end - begin - 1)));
    result.append(text.substr(at, begin - at));
    if (known != values.end()) {
      result += known->second;
      at = end + 1;
    } else {
      result += '@';
      at = begin + 1;
    }
  }
  return result;
}

}  // namespace macareu::converter
