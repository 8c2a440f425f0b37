// Widest paths from a source by Kruskal's algorithm: a union-find to which edges come in descending order of
// weight.
//
// Reconstruction is a widest-path problem: the source reaches node q directly with its marker, and nodes p
// and q reach each other with the smaller of their capacities. When edges come in descending order, a
// component whose best marker is not below the edge at hand has met the source with that marker, before any
// other way out of it: all its nodes have that value. A component that touches such a final one through an
// edge of weight w becomes final with w. So every node gets its value from the root it had when its component
// became final, whatever the length of the path.
#pragma once

#include <algorithm>
#include <limits>
#include <vector>

namespace macareu::cpu {

template <class Key, class Node>
class source_forest {
 public:
  /// No node is in yet. There must be fewer than Node can count.
  void reset(std::size_t nodes) {
    parent_.assign(nodes, absent);
    value_.resize(nodes);
    final_.assign(nodes, 0);
  }
  /// A node's marker, before it enters.
  Key& value(Node node) { return value_[node]; }
  /// It starts alone.
  void enter(Node node) { parent_[node] = node; }
  bool has(Node node) const { return parent_[node] != absent; }

  Node root(Node node) {
    while (parent_[node] != node) node = parent_[node] = parent_[parent_[node]];
    return node;
  }

  enum class outcome { nothing, joined, first_final, second_final };

  /// The edge between two roots. joined: the second is the root of both now; first_final: the first became
  /// final with `weight`.
  outcome join(Node a, Node b, Key weight) {
    if (a == b) return outcome::nothing;
    const bool a_final = settle(a, weight), b_final = settle(b, weight);
    if (a_final && b_final) return outcome::nothing;
    if (b_final) return finish(a, weight), outcome::first_final;
    if (a_final) return finish(b, weight), outcome::second_final;
    parent_[a] = b;
    value_[b] = std::max(value_[a], value_[b]);
    return outcome::joined;
  }

  /// Once all edges have come.
  Key result(Node node) { return value_[root(node)]; }

 private:
  static constexpr Node absent = std::numeric_limits<Node>::max();

  bool settle(Node node, Key weight) {
    if (value_[node] >= weight) final_[node] = 1;
    return final_[node] != 0;
  }
  void finish(Node node, Key weight) {
    final_[node] = 1;
    value_[node] = weight;
  }

  std::vector<Node> parent_;
  std::vector<Key> value_;
  std::vector<unsigned char> final_;
};

}  // namespace macareu::cpu
