// Suggests the most likely meaning of an unknown name.
#include <algorithm>
#include <cctype>
#include <numeric>
#include <utility>

#include <macareu/catalogue.hpp>

namespace macareu {
namespace {

/// More edits would suggest unrelated names.
constexpr std::size_t most_edits(std::string_view name) { return name.size() > 3 ? 2 : name.size() == 3; }

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

bool is_near(std::string_view text, std::string_view name) { return edits(text, name) <= most_edits(name); }

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

/// "skimage.measure.label" and "cv::Canny" are "measure.label" and "Canny" in the catalogue.
std::string_view without_library(std::string_view name) {
  for (const std::string_view library : {"skimage.", "scipy.", "itk::", "cv::", "dip::"})
    if (name.starts_with(library)) return name.substr(library.size());
  return name;
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
  std::string_view nearest;
  for (const auto name : names)
    if (is_near(text, name) && (nearest.empty() || edits(text, name) < edits(text, nearest))) nearest = name;
  return nearest.empty() ? "" : " (did you mean " + std::string(nearest) + "?)";
}

const operator_description* nearest_operator(std::string_view unknown) {
  const auto name = without_library(unknown);
  const auto all = catalogue();
  const auto distance = [&](const operator_description& about) {
    return std::min(edits(name, about.name), edits(name, about.verb));
  };
  const operator_description* nearest = nullptr;
  for (const auto& about : all)
    if ((is_near(name, about.name) || is_near(name, about.verb)) &&
        (!nearest || distance(about) < distance(*nearest)))
      nearest = &about;
  if (nearest) return nearest;
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
