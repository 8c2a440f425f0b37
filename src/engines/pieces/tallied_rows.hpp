// Results of a run for each object: rows of a table, and new numbers. Where they would be a large share of
// the limit they lie in a work file, of which pages that are not in use take no memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <type_traits>

#include "engines/pieces/run.hpp"

namespace macareu::pieces {

enum class rows_in { memory, file };

/// Memory of a run, or a mapped work file without a name, which ends with the process.
class object_memory {
 public:
  /// Rows that are no part of the limit: they fit beside it, or lie in a file.
  object_memory(run& of, std::size_t bytes, rows_in place);
  /// most: the bytes of the rank that has most. All ranks count these, because they cut images alike.
  object_memory(run& of, std::size_t bytes, std::size_t most);
  ~object_memory();
  object_memory(object_memory&& other) noexcept;
  object_memory& operator=(object_memory&&) = delete;

  std::byte* data() const { return data_; }
  /// Before bytes at `offset` are used, by one thread: pages do not become many.
  void touch(std::size_t offset) {
    if (own_ || offset / page == last_page_) return;
    last_page_ = offset / page;
    if (++pages_ >= most_pages) release();
  }
  /// Pages in memory go back to the system; the file has what was written.
  void release() const;

 private:
  static constexpr std::size_t page = 4096;
  static const std::size_t most_pages;

  void allocate();
  void map_file();

  run& run_;
  std::unique_ptr<std::byte[]> own_;  // null where a file is mapped
  std::byte* data_ = nullptr;
  std::size_t bytes_, held_ = 0, last_page_ = ~std::size_t{0};
  mutable std::size_t pages_ = 0;
};

/// Rows of a tally, or new numbers; 0 at first.
template <class Row>
class tallied_rows {
 public:
  tallied_rows(run& of, std::size_t count) : tallied_rows(of, count, count) {}
  /// most: as many as any rank has of them.
  tallied_rows(run& of, std::size_t count, std::size_t most)
      : count_(count), memory_(of, count * sizeof(Row), most * sizeof(Row)) {
    clear();
  }
  /// Rows that are no part of the limit.
  tallied_rows(run& of, std::size_t count, rows_in place)
      : count_(count), memory_(of, count * sizeof(Row), place) {
    clear();
  }

  /// By one thread.
  Row& operator[](std::size_t at) {
    memory_.touch(at * sizeof(Row));
    return all()[at];
  }
  void join(std::size_t at, const Row& other) { (*this)[at].join(other); }
  /// To be changed.
  Row* all() { return reinterpret_cast<Row*>(memory_.data()); }
  const Row* begin() const { return reinterpret_cast<const Row*>(memory_.data()); }
  const Row* end() const { return begin() + count_; }
  std::size_t size() const { return count_; }
  /// After some rows were read: the others need not be in memory with them.
  void release() const { memory_.release(); }

 private:
  void clear() {
    static_assert(std::is_trivially_copyable_v<Row> && alignof(Row) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__);
    for (std::size_t i = 0; i < count_; ++i) {
      memory_.touch(i * sizeof(Row));
      new (memory_.data() + i * sizeof(Row)) Row{};
    }
  }

  std::size_t count_;
  object_memory memory_;
};

}  // namespace macareu::pieces
