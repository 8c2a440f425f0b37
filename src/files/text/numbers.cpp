// Numbers as text: a line is a row, with commas or spaces between columns. For kernels and other small
// images.
#include <charconv>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "files/format.hpp"
#include "files/text/text.hpp"

namespace macareu::files {
namespace {

/// Limit of a text file, far above typed input.
constexpr std::uint64_t largest_file = std::uint64_t{64} << 20;

std::vector<double> numbers_in(const input& file, std::uint64_t row, std::string line) {
  for (auto& c : line)
    if (c == ',' || c == ';') c = ' ';
  std::vector<double> numbers;
  for (const auto word : words(line)) {
    double value = 0;
    const auto [end, code] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (code != std::errc() || end != word.data() + word.size())
      file.fail("line " + std::to_string(row) +
                ": expected numbers with commas or spaces between them, got " + in_quotes(word));
    numbers.push_back(value);
  }
  return numbers;
}

}  // namespace

image_file read_numbers(input& file, const read_options&) {
  std::vector<double> pixels;
  std::int64_t rows = 0, columns = 0;
  std::string line;
  std::uint64_t row = 0;
  for (bool more = true; more;) {
    const int c = file.get();
    more = c >= 0;
    if (more && c != '\n') {
      line += static_cast<char>(c);
      if (file.offset() > largest_file) file.fail("too much text for an image: convert it to .npy");
      continue;
    }
    const auto numbers = numbers_in(file, ++row, std::exchange(line, {}));
    if (numbers.empty()) continue;
    if (rows > 0 && std::ssize(numbers) != columns)
      file.fail("line " + std::to_string(row) + " has " + std::to_string(numbers.size()) +
                " numbers, the first " + std::to_string(columns));
    columns = std::ssize(numbers);
    ++rows;
    pixels.insert(pixels.end(), numbers.begin(), numbers.end());
  }
  image made(dtype::f64, extents{rows, columns});
  if (!pixels.empty()) std::memcpy(made.data(), pixels.data(), made.bytes());
  return {std::move(made), {}};
}

}  // namespace macareu::files
