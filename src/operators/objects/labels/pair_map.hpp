// A hash map from pairs of labels to values, with open addressing: one lookup for each run of equal pairs.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace macareu {

struct label_pair {
  std::uint64_t first = 0, second = 0;
  auto operator<=>(const label_pair&) const = default;
};

template <class Value>
class pair_map {
 public:
  struct entry {
    label_pair key;
    Value value{};
    bool used = false;
  };

  /// The value of a pair, new if it has none. Valid until the next call.
  Value& operator[](label_pair key) {
    if (2 * (size_ + 1) > slots_.size()) grow();
    auto& slot = slots_[place_of(key)];
    if (!slot.used) {
      slot = {key, Value{}, true};
      ++size_;
    }
    return slot.value;
  }
  /// Null if the pair has no value. Valid until a pair is added.
  const Value* find(label_pair key) const {
    if (slots_.empty()) return nullptr;
    const auto& slot = slots_[place_of(key)];
    return slot.used ? &slot.value : nullptr;
  }
  Value* find(label_pair key) { return const_cast<Value*>(std::as_const(*this).find(key)); }

  std::size_t size() const { return size_; }
  template <class Visit>
  void for_each(const Visit& visit) const {
    for (const auto& slot : slots_)
      if (slot.used) visit(slot.key, slot.value);
  }
  /// In the order of keys.
  std::vector<std::pair<label_pair, Value>> sorted() const {
    std::vector<std::pair<label_pair, Value>> all;
    all.reserve(size_);
    for_each([&](label_pair key, const Value& value) { all.emplace_back(key, value); });
    std::ranges::sort(all, {}, &std::pair<label_pair, Value>::first);
    return all;
  }

 private:
  std::size_t place_of(label_pair key) const {
    auto hash = key.first * 0x9e3779b97f4a7c15u ^ (key.second + 0x7f4a7c15u) * 0xc2b2ae3d27d4eb4fu;
    hash ^= hash >> 32;
    hash *= 0xd6e8feb86659fd93u;
    auto place = static_cast<std::size_t>(hash >> 20) & (slots_.size() - 1);
    while (slots_[place].used && slots_[place].key != key) place = (place + 1) & (slots_.size() - 1);
    return place;
  }
  void grow() {
    std::vector<entry> old(std::max<std::size_t>(64, 2 * slots_.size()));
    std::swap(old, slots_);
    for (auto& slot : old)
      if (slot.used) slots_[place_of(slot.key)] = std::move(slot);
  }

  std::vector<entry> slots_;
  std::size_t size_ = 0;
};

}  // namespace macareu
