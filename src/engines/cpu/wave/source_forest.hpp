// Widest paths from a source by Kruskal's algorithm: a union-find over edges in descending order of weight.
//
// Reconstruction is a widest-path problem. An edge from the source to node q has the weight of q's marker. An
// edge between nodes p and q has the smaller of their capacities. Edges come in descending order. If the best
// marker of a component is not below the current edge, the component is final: all its nodes have that value.
// A component that joins a final one by an edge of weight w becomes final with w. A node gets its value from
// the root it had when its component became final. The cost does not depend on path length.
#pragma once

#include <algorithm>
#include <limits>
#include <vector>

namespace macareu::cpu {

template <class Key, class Node>
class source_forest {
 public:
  /// Starts with no node entered. `nodes` must be below the maximum of Node.
  void reset(std::size_t nodes) {
    parent_.assign(nodes, absent);
    value_.resize(nodes);
    final_.assign(nodes, 0);
  }
  /// The marker of a node, to be set before it enters.
  Key& value(Node node) { return value_[node]; }
  /// Adds a node as a component of its own.
  void enter(Node node) { parent_[node] = node; }
  bool has(Node node) const { return parent_[node] != absent; }

  Node root(Node node) {
    while (parent_[node] != node) node = parent_[node] = parent_[parent_[node]];
    return node;
  }

  enum class outcome { nothing, joined, first_final, second_final };

  /// Adds an edge between two roots. joined: the second is now the root of both. first_final: the first
  /// became final with `weight`.
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

  /// Whether a root's component has its value when edges of this weight come.
  bool is_final(Node root, Key weight) { return settle(root, weight); }

  /// Valid after all edges have been added.
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
