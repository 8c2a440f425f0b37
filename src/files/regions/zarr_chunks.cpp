#include "zarr_chunks.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>

#include <macareu/error.hpp>

#include "files/input.hpp"
#include "files/output.hpp"
#include "files/pixel_data.hpp"

#ifdef MACAREU_WITH_ZSTD
#include <zstd.h>
#endif
#ifdef MACAREU_WITH_BLOSC
#include <blosc.h>
#endif

namespace macareu::files {
namespace {

/// The compressed bytes of a chunk. Compression never doubles a chunk.
[[maybe_unused]] std::vector<std::byte> packed_bytes(input& file, std::size_t chunk_bytes) {
  const auto largest = 2 * std::uint64_t{chunk_bytes} + (1 << 16);
  if (file.size() > largest)
    file.fail("the file has " + std::to_string(file.size()) + " bytes, too many for a chunk of " +
              std::to_string(chunk_bytes));
  std::vector<std::byte> packed(static_cast<std::size_t>(file.size()));
  file.read(packed.data(), packed.size());
  return packed;
}

[[noreturn]] void fail_on_size(const input& file, std::uint64_t got, std::size_t wanted) {
  file.fail_at(0, "the chunk has " + std::to_string(got) + " bytes, not the " + std::to_string(wanted) +
                      " of the array's chunks");
}

void read_raw(input& file, std::size_t bytes, std::vector<std::byte>& pixels) {
  if (file.size() != bytes) fail_on_size(file, file.size(), bytes);
  pixels.resize(bytes);
  file.read(pixels.data(), bytes);
}

void read_deflated(input& file, std::size_t bytes, std::vector<std::byte>& pixels) {
  const pixel_layout line{.shape = {1, static_cast<std::int64_t>(bytes)}, .coding = encoding::deflate};
  require_pixels(file, line);
  inflater stream(file, bytes);
  pixels.resize(bytes);
  stream.read(pixels);
  stream.require_end();
}

#ifdef MACAREU_WITH_ZSTD
void read_zstd(input& file, std::size_t bytes, std::vector<std::byte>& pixels) {
  const auto packed = packed_bytes(file, bytes);
  const auto claimed = ZSTD_getFrameContentSize(packed.data(), packed.size());
  if (claimed == ZSTD_CONTENTSIZE_ERROR) file.fail_at(0, "the chunk is not a zstd frame");
  if (claimed != ZSTD_CONTENTSIZE_UNKNOWN && claimed != bytes) fail_on_size(file, claimed, bytes);
  pixels.resize(bytes);
  const auto got = ZSTD_decompress(pixels.data(), bytes, packed.data(), packed.size());
  if (ZSTD_isError(got))
    file.fail_at(0, std::string("the compressed chunk is damaged: ") + ZSTD_getErrorName(got));
  if (got != bytes) fail_on_size(file, got, bytes);
}
#else
void read_zstd(input& file, std::size_t, std::vector<std::byte>&) {
  file.fail("the chunk is compressed, and this build has no libzstd to read it");
}
#endif

#ifdef MACAREU_WITH_BLOSC
void read_blosc(input& file, std::size_t bytes, std::vector<std::byte>& pixels) {
  const auto packed = packed_bytes(file, bytes);
  std::size_t claimed = 0;
  if (blosc_cbuffer_validate(packed.data(), packed.size(), &claimed) != 0)
    file.fail_at(0, "the chunk is not a blosc buffer, or ends early");
  if (claimed != bytes) fail_on_size(file, claimed, bytes);
  pixels.resize(bytes);
  const int got = blosc_decompress_ctx(packed.data(), pixels.data(), bytes, 1);
  if (got < 0 || static_cast<std::size_t>(got) != bytes) file.fail_at(0, "the compressed chunk is damaged");
}
#else
void read_blosc(input& file, std::size_t, std::vector<std::byte>&) {
  file.fail("the chunk is compressed, and this build has no libblosc to read it");
}
#endif

}  // namespace

bool read_chunk(const zarr_array& array, const std::filesystem::path& file, std::vector<std::byte>& pixels) {
  std::error_code error;
  const auto status = std::filesystem::status(file, error);
  if (!std::filesystem::exists(status) &&
      (!error || error == std::errc::no_such_file_or_directory || error == std::errc::not_a_directory))
    return false;
  // Opening a pipe could block for ever.
  if (!std::filesystem::is_regular_file(status)) throw io_error(file.string(), "is not a file");
  input opened(file);
  const auto bytes = array.chunk_bytes();
  switch (array.codec) {
    case zarr_codec::none:
      read_raw(opened, bytes, pixels);
      break;
    case zarr_codec::deflate:
      read_deflated(opened, bytes, pixels);
      break;
    case zarr_codec::zstd:
      read_zstd(opened, bytes, pixels);
      break;
    case zarr_codec::blosc:
      read_blosc(opened, bytes, pixels);
      break;
  }
  to_native(pixels, array.type, array.order);
  return true;
}

namespace {

void make_folder_of(const zarr_array& array, const std::filesystem::path& chunk, std::error_code& error) {
  if (array.separator == '/') std::filesystem::create_directories(chunk.parent_path(), error);
}

}  // namespace

bool link_as_chunk(const zarr_array& array, const std::filesystem::path& chunk,
                   const std::filesystem::path& file) {
  namespace fs = std::filesystem;
  std::error_code error;
  // Of the metadata: files of this process may have stricter ones.
  const auto permissions = fs::status(array.directory / ".zarray", error).permissions();
  if (!error) fs::permissions(file, permissions, error);
  if (!error) make_folder_of(array, chunk, error);
  if (!error) fs::remove(chunk, error);  // of an earlier process
  if (!error) fs::create_hard_link(file, chunk, error);
  return !error;
}

void write_chunk(const zarr_array& array, const std::filesystem::path& file,
                 std::span<const std::byte> pixels, const std::filesystem::path& name) {
  std::error_code error;
  make_folder_of(array, file, error);
  if (error) throw io_error(name.string(), error.message());
  auto temporary = file;
  temporary += ".tmp";
  output to(temporary, name);
  to.write(pixels.data(), pixels.size());
  to.close();
  if (std::rename(temporary.c_str(), file.c_str()) != 0) throw io_error(name.string(), std::strerror(errno));
}

}  // namespace macareu::files
