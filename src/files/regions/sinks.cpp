#include "sinks.hpp"

#include <bit>
#include <utility>
#include <vector>

#include <macareu/error.hpp>

#include "runs.hpp"
#include "stored_source.hpp"

namespace macareu::files {
namespace {

std::uint64_t bytes_of(const source_form& form) {
  return static_cast<std::uint64_t>(form.shape.pixels()) * static_cast<std::uint64_t>(form.channels) *
         size_of(form.type);
}

/// Writes a region of pixels that lie in C order from `offset` on.
void write_region(random_file& file, std::uint64_t offset, const source_form& form, std::endian order,
                  const image_region& to, const void* from) {
  const pixel_layout layout{.type = form.type, .shape = form.shape, .channels = form.channels};
  const auto* memory = static_cast<const std::byte*>(from);
  std::vector<std::byte> swapped;
  for_each_run(axes_of(layout, to), size_of(form.type), offset, [&](const run& part) {
    std::span bytes(memory + part.memory_offset, part.item_bytes);
    if (order == std::endian::native || size_of(form.type) == 1) return file.write(part.file_offset, bytes);
    swapped.assign(bytes.begin(), bytes.end());
    to_native(swapped, form.type, order);
    file.write(part.file_offset, swapped);
  });
}

void require_size(const random_file& adopted, std::uint64_t bytes, const std::filesystem::path& by) {
  if (adopted.size() != bytes)
    throw usage_error(adopted.name(), "has " + std::to_string(adopted.size()) + " bytes, but " + by.string() +
                                          " needs " + std::to_string(bytes));
}

/// Rows of an image that lies in a scratch file.
class file_rows final : public pixel_rows {
 public:
  file_rows(const random_file& file, const source_form& form) : pixel_rows(form), file_(file) {}

  void copy(std::int64_t row, std::int64_t x, std::int64_t count, truth as, std::byte* to) const override {
    const auto pixel = size_of(form().type) * static_cast<std::size_t>(form().channels);
    const std::span bytes(to, static_cast<std::size_t>(count) * pixel);
    file_.read(static_cast<std::uint64_t>(row * form().shape.width() + x) * pixel, bytes);
    if (form().type == dtype::boolean) spell_truth(bytes, as);
  }

 private:
  const random_file& file_;
};

}  // namespace

void written_pixels::require_all(const std::filesystem::path& name) const {
  if (missing_ != 0)
    throw usage_error(name.string(),
                      std::to_string(missing_) + " pixels were not written: each must be written once");
}

stored_sink::stored_sink(const std::filesystem::path& file, const source_form& form, std::string header)
    : form_(form), header_(std::move(header)), pending_(file), written_(form) {}

std::optional<std::string> stored_sink::header() const {
  // Files have the least significant byte first.
  if (std::endian::native == std::endian::big && size_of(form_.type) > 1) return std::nullopt;
  return header_;
}

void stored_sink::adopt(const std::filesystem::path& file) {
  require_size(random_file::open(file, file), bytes(), pending_.name());
  file_.reset();
  pending_.adopt(file);
  written_.add_all();
}

void stored_sink::write(const image_region& to, const void* from) {
  require_inside(to, form_.shape);
  write_region(opened(), header_.size(), form_, std::endian::little, to, from);
  written_.add(to);
}

void stored_sink::commit() {
  written_.require_all(pending_.name());
  if (form_.shape.pixels() == 0) opened();
  if (file_) file_->close();
  pending_.commit();
}

std::uint64_t stored_sink::bytes() const { return header_.size() + bytes_of(form_); }

random_file& stored_sink::opened() {
  if (!file_) {
    file_ = random_file::open_to_write(pending_.path(), pending_.name());
    file_->reserve(bytes());
    file_->write(0, std::as_bytes(std::span(header_)));
  }
  return *file_;
}

staged_sink::staged_sink(const format& chosen, const std::filesystem::path& file, const source_form& form,
                         const sink_options& options)
    : format_(chosen),
      name_(file),
      form_(form),
      options_(options),
      scratch_(random_file::scratch(options.scratch, file.string())),
      written_(form) {
  if (!is_stream_destination(file)) pending_.emplace(file);
}

void staged_sink::adopt(const std::filesystem::path& file) {
  auto adopted = random_file::open(file, file);
  require_size(adopted, bytes_of(form_), name_);
  scratch_ = std::move(adopted);
  std::filesystem::remove(file);  // it lives until it is closed
  written_.add_all();
}

void staged_sink::write(const image_region& to, const void* from) {
  require_inside(to, form_.shape);
  if (scratch_.size() == 0) scratch_.reserve(bytes_of(form_));
  write_region(scratch_, 0, form_, std::endian::native, to, from);
  written_.add(to);
}

void staged_sink::commit() {
  written_.require_all(name_);
  write_as(format_, pending_ ? pending_->path() : name_, name_, file_rows(scratch_, form_), options_);
  if (pending_) pending_->commit();
}

}  // namespace macareu::files
