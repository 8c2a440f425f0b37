// Which pixels are neighbours.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace macareu {

/// A number of neighbours (4, 8 in images; 6, 18, 26 in volumes) or a name that fits both:
/// face (4, 6), edge (8, 18), full (8, 26).
class connectivity {
 public:
  static const connectivity face, edge, full;

  /// Throws usage_error for any other number.
  connectivity(int neighbours);
  static std::optional<connectivity> named(std::string_view text);

  std::string name() const;
  /// How many coordinates may differ by one between neighbours: 1, 2 or 3. Throws usage_error where the
  /// number belongs to the other rank (4 on a volume, 26 on an image).
  int reach(int rank) const;

  bool operator==(const connectivity&) const = default;

 private:
  enum class kind { face, edge, full, n4, n8, n6, n18, n26 };
  constexpr explicit connectivity(kind k) : kind_(k) {}
  kind kind_;
};

inline constexpr connectivity connectivity::face{kind::face};
inline constexpr connectivity connectivity::edge{kind::edge};
inline constexpr connectivity connectivity::full{kind::full};

}  // namespace macareu
