// Suggests the most likely meaning of an unknown name.
#include <algorithm>
#include <cctype>
#include <numeric>
#include <utility>

#include <macareu/catalogue.hpp>

namespace macareu {
namespace {

constexpr std::size_t most_edits = 2;     // more would suggest unrelated names
constexpr std::size_t shortest_name = 4;  // two edits turn a shorter name into almost any other

/// Levenshtein distance.
std::size_t edits(std::string_view from, std::string_view to) {
  std::vector<std::size_t> row(to.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < from.size(); ++i) {
    auto diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < to.size(); ++j) {
      const auto change = diagonal + (from[i] == to[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({change, row[j] + 1, diagonal + 1});
    }
  }
  return row.back();
}

std::string lower(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

/// "ndimage.label" and "ConnectedComponentImageFilter" are also found as "label" and "ConnectedComponent".
bool names_it(std::string_view peer, const std::string& text) {
  auto name = lower(peer);
  if (name == text) return true;
  if (const auto dot = name.rfind('.'); dot != std::string::npos) name.erase(0, dot + 1);
  if (name == text) return true;
  constexpr std::string_view ending = "imagefilter";
  return name.ends_with(ending) && name.substr(0, name.size() - ending.size()) == text;
}

bool one_names_it(std::string_view peers, const std::string& text) {
  while (true) {
    const auto comma = peers.find(", ");
    if (names_it(peers.substr(0, comma), text)) return true;
    if (comma == std::string_view::npos) return false;
    peers.remove_prefix(comma + 2);
  }
}

}  // namespace

std::string did_you_mean(std::string_view text, std::span<const std::string_view> names) {
  const auto distance = [&](std::string_view name) { return edits(text, name); };
  const auto nearest = std::ranges::min_element(names, {}, distance);
  if (nearest == names.end() || nearest->size() < shortest_name || distance(*nearest) > most_edits) return "";
  return " (did you mean " + std::string(*nearest) + "?)";
}

const operator_description* nearest_operator(std::string_view name) {
  const auto all = catalogue();
  const auto distance = [&](const operator_description& about) {
    return std::min(edits(name, about.name), edits(name, about.verb));
  };
  const auto nearest = std::ranges::min_element(all, {}, distance);
  if (nearest != all.end() && nearest->name.size() >= shortest_name && distance(*nearest) <= most_edits)
    return &*nearest;
  if (name.empty()) return nullptr;  // an empty name would match every operator without a peer name
  const auto text = lower(name);
  for (const auto& about : all) {
    const auto& [skimage, scipy, itk, matlab, opencv, diplib] = about.peers;
    for (const auto peers : {skimage, scipy, itk, matlab, opencv, diplib})
      if (one_names_it(peers, text)) return &about;
  }
  return nullptr;
}

}  // namespace macareu
