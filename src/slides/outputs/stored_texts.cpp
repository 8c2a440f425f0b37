#include "slides/outputs/stored_texts.hpp"

#include <cstdint>
#include <span>

#include "core/coding/coded_file.hpp"

namespace macareu::slides {

stored_texts::stored_texts(const std::filesystem::path& scratch, std::size_t count)
    : file_(files::random_file::scratch(scratch, "outlines of nuclei")), place_(count) {}

stored_texts::~stored_texts() { coded_file::all().add(-static_cast<std::int64_t>(size_)); }

void stored_texts::add(std::uint64_t label, std::string_view text) {
  constexpr std::size_t bytes_a_write = std::size_t{1} << 20;
  place_[label - 1] = {size_ + waiting_.size(), text.size()};
  waiting_ += text;
  if (waiting_.size() >= bytes_a_write) flush();
}

std::string_view stored_texts::operator[](std::uint64_t label) {
  if (!waiting_.empty()) flush();
  const auto& [offset, size] = place_[label - 1];
  read_.resize(size);
  file_.read(offset, std::as_writable_bytes(std::span(read_)));
  return read_;
}

void stored_texts::flush() {
  file_.write(size_, std::as_bytes(std::span(waiting_)));
  size_ += waiting_.size();
  coded_file::all().add(static_cast<std::int64_t>(waiting_.size()));
  waiting_.clear();
}

}  // namespace macareu::slides
