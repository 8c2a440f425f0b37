// Words and numbers of text headers. Nothing here depends on the locale.
#pragma once

#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace macareu::files {

inline bool is_space(int byte) { return byte == ' ' || (byte >= '\t' && byte <= '\r'); }

std::string_view trimmed(std::string_view text);
std::string lower(std::string_view text);
std::vector<std::string_view> words(std::string_view text);
/// In quotes, for a message of one line: truncated, without control characters.
std::string in_quotes(std::string_view text);

/// The number that all of `text` spells; nothing if it spells none, or T cannot hold it.
template <class T>
std::optional<T> number(std::string_view text) {
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace macareu::files
