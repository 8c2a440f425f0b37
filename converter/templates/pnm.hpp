// Reads and writes PGM (grey) and PPM (colour) files of 8 or 16 bits. Consecutive images in one file are the
// slices of a volume.
#pragma once

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <fstream>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

struct pnm_image {
  long long depth = 0, height = 0, width = 0;
  int channels = 1;
  bool wide = false;  // 16 bits
  std::vector<std::uint16_t> values;
};

/// The next number of a header, after spaces and comments.
inline long long pnm_number(std::istream& file) {
  while (file.peek() != EOF && !std::isdigit(file.peek())) {
    if (file.peek() == '#')
      while (file.peek() != EOF && file.peek() != '\n') file.get();
    else if (!std::isspace(file.peek()))
      return -1;
    file.get();
  }
  long long value = -1;
  file >> value;
  return value;
}

/// Reads in pieces, so that a damaged header cannot allocate more memory than the file fills. Returns false
/// at an early end of file.
inline bool pnm_bytes(std::istream& file, unsigned long long count, std::vector<unsigned char>& bytes) {
  constexpr std::size_t piece = 1 << 24;
  while (bytes.size() < count) {
    const auto begin = bytes.size();
    bytes.resize(begin + static_cast<std::size_t>(std::min<unsigned long long>(piece, count - begin)));
    if (!file.read(reinterpret_cast<char*>(bytes.data() + begin),
                   static_cast<std::streamsize>(bytes.size() - begin)))
      return false;
  }
  return true;
}

inline pnm_image read_pnm(const std::string& name) {
  std::ifstream file(name, std::ios::binary);
  if (!file) throw std::runtime_error(name + ": cannot be read");
  pnm_image all;
  while (file.peek() != EOF) {
    std::string magic(2, ' ');
    file.read(&magic[0], 2);
    if (!file || (magic != "P5" && magic != "P6"))
      throw std::runtime_error(name + ": expected a PGM (P5) or PPM (P6) file");
    const long long width = pnm_number(file), height = pnm_number(file), highest = pnm_number(file);
    file.get();
    if (!file || width < 0 || height < 0 || highest < 1 || highest > 65535)
      throw std::runtime_error(name + ": damaged header");
    const int channels = magic == "P6" ? 3 : 1;
    const int pixel_bytes = channels * (highest > 255 ? 2 : 1);
    if (height > 0 && width > std::numeric_limits<long long>::max() / pixel_bytes / height)
      throw std::runtime_error(name + ": damaged header, a size of " + std::to_string(width) + " x " +
                               std::to_string(height));
    if (all.depth > 0 && (width != all.width || height != all.height || channels != all.channels))
      throw std::runtime_error(name + ": its images differ in size");
    all.width = width;
    all.height = height;
    all.channels = channels;
    const bool wide = highest > 255;
    all.wide = all.wide || wide;
    ++all.depth;
    std::vector<unsigned char> bytes;
    if (!pnm_bytes(file, static_cast<unsigned long long>(width * height * pixel_bytes), bytes))
      throw std::runtime_error(name + ": ends before its last pixel");
    for (std::size_t i = 0; i < bytes.size(); i += wide ? 2 : 1)
      all.values.push_back(wide ? static_cast<std::uint16_t>(bytes[i] << 8 | bytes[i + 1]) : bytes[i]);
  }
  if (all.depth == 0) throw std::runtime_error(name + ": is empty");
  return all;
}

inline void write_pnm(const std::string& name, const pnm_image& image) {
  std::ofstream file(name, std::ios::binary);
  const auto slice = static_cast<std::size_t>(image.height * image.width * image.channels);
  std::string bytes;
  for (long long z = 0; z < image.depth; ++z) {
    bytes = (image.channels == 3 ? "P6\n" : "P5\n") + std::to_string(image.width) + " " +
            std::to_string(image.height) + (image.wide ? "\n65535\n" : "\n255\n");
    for (std::size_t i = 0; i < slice; ++i) {
      const auto value = image.values[static_cast<std::size_t>(z) * slice + i];
      if (image.wide) bytes += static_cast<char>(value >> 8);
      bytes += static_cast<char>(value & 255);
    }
    file << bytes;
  }
  file.close();
  if (!file) throw std::runtime_error(name + ": cannot be written");
}
