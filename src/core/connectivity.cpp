#include <macareu/connectivity.hpp>

#include <array>

#include <macareu/error.hpp>

namespace macareu {
namespace {

struct row {
  std::string_view name;
  int rank;                  // 0: both
  std::array<int, 2> reach;  // for images, for volumes
};
// In the order of connectivity::kind.
constexpr std::array<row, 8> rows{{{"face", 0, {1, 1}},
                                   {"edge", 0, {2, 2}},
                                   {"full", 0, {2, 3}},
                                   {"4", 2, {1, 0}},
                                   {"8", 2, {2, 0}},
                                   {"6", 3, {0, 1}},
                                   {"18", 3, {0, 2}},
                                   {"26", 3, {0, 3}}}};

}  // namespace

std::optional<connectivity> connectivity::named(std::string_view text) {
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (rows[i].name == text) return connectivity(static_cast<kind>(i));
  return std::nullopt;
}

connectivity::connectivity(int neighbours) : kind_(kind::face) {
  const auto found = named(std::to_string(neighbours));
  if (!found)
    throw call_error(
        {.kind = fault::value,
         .parts = {parameter_named("connectivity"),
                   " " + std::to_string(neighbours) + ": use 4 or 8 for images, 6, 18 or 26 for volumes"},
         .given = std::to_string(neighbours),
         .allowed = "4, 8, 6, 18, 26"});
  *this = *found;
}

std::string connectivity::name() const { return std::string(rows[static_cast<std::size_t>(kind_)].name); }

int connectivity::reach(int rank) const {
  const auto& entry = rows[static_cast<std::size_t>(kind_)];
  if (entry.rank != 0 && entry.rank != rank) {
    const auto allowed = std::string(rank == 2 ? "4, 8" : "6, 18, 26") + ", face, edge or full";
    throw call_error({.kind = fault::axes,
                      .parts = {parameter_named("connectivity"),
                                " " + name() + " is for " + (entry.rank == 2 ? "images" : "volumes") +
                                    ", the input has " + std::to_string(rank) + " axes: use " + allowed},
                      .given = name(),
                      .allowed = allowed});
  }
  return entry.reach[static_cast<std::size_t>(rank - 2)];
}

}  // namespace macareu
