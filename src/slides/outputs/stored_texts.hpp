// Texts of objects that wait in a work file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "files/regions/random_file.hpp"

namespace macareu::slides {

/// A text for each label from 1 to count.
class stored_texts {
 public:
  stored_texts(const std::filesystem::path& scratch, std::size_t count);
  ~stored_texts();
  stored_texts(const stored_texts&) = delete;
  stored_texts& operator=(const stored_texts&) = delete;

  void add(std::uint64_t label, std::string_view text);
  /// Valid until the next call.
  std::string_view operator[](std::uint64_t label);

 private:
  void flush();

  files::random_file file_;
  std::vector<std::pair<std::uint64_t, std::size_t>> place_;
  std::uint64_t size_ = 0;
  std::string waiting_, read_;
};

}  // namespace macareu::slides
