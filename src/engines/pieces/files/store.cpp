#include "engines/pieces/files/store.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstring>

#include <macareu/computed_source.hpp>
#include <macareu/error.hpp>

#include "core/coding/coded_file.hpp"
#include "engines/pieces/files/file_access.hpp"
#include "engines/pieces/piece_image.hpp"
#include "engines/pieces/shared_pass.hpp"
#include "engines/pieces/tuning.hpp"

namespace macareu::pieces {

image_region region_of(const box& where) {
  return {{where.first.z, where.first.y, where.first.x}, {where.size.z, where.size.y, where.size.x}};
}

void expected_boxes::expect(file_thread& by, const box& where, load read) {
  for (const auto& [place, pixels] : boxes_)
    if (place == where) return;
  if (boxes_.size() == tuning::most_boxes_ahead)
    boxes_.erase(boxes_.begin());  // the future waits for nothing
  boxes_.emplace_back(where, by.ask<block>([read = std::move(read), where] { return read(where); }));
}

block expected_boxes::take(file_thread& by, const box& where, load read) {
  for (auto it = boxes_.begin(); it != boxes_.end(); ++it)
    if (it->first == where) {
      auto pixels = std::move(it->second);
      boxes_.erase(it);
      return pixels.get();
    }
  return by.ask<block>([&] { return read(where); }).get();
}

namespace {

const computed_source* computed_of(const image_source& source) {
  return dynamic_cast<const computed_source*>(&source);
}

frame frame_of(const extents& shape) { return {shape.depth(), shape.height(), shape.width(), {0, 0, 0}}; }

}  // namespace

source_node::source_node(run& of, image_source& source, int channel, std::shared_ptr<colour_box> shared)
    : node(frame_of(source.form().shape), size_of(source.form().type)),
      run_(of),
      source_(source),
      channel_(channel),
      channels_(source.form().channels),
      shared_(std::move(shared)) {}

std::int64_t source_node::room() const {
  if (const auto* const computed = computed_of(source_))
    return computed->bytes_per_pixel() + static_cast<std::int64_t>(pixel_bytes);
  return static_cast<std::int64_t>(pixel_bytes) * (channels_ == 1 ? 3 : 4 + 2 * channels_);
}

site source_node::chunk() const {
  const auto given = source_.chunk();
  const auto side = [](std::int64_t own) { return std::max<std::int64_t>(1, own); };
  return {side(given[0]), side(given[1]), side(given[2])};
}

std::optional<std::uint64_t> source_node::labels() const {
  if (run_.plans) return std::nullopt;  // rows of all of them would be made
  const auto* const image = dynamic_cast<const piece_image*>(&source_);
  return image ? image->labels() : std::nullopt;
}

block planned::read(const box& where) {
  block zeros(*run_.memory, where, pixel_bytes);
  std::memset(zeros.first, 0, static_cast<std::size_t>(where.pixels()) * pixel_bytes);
  return zeros;
}

expected_boxes::load source_node::loading() const {
  // Copies: a box that was expected may arrive after the node is gone.
  return [of = &run_, source = &source_, channel = channel_, channels = channels_, shared = shared_,
          bytes = pixel_bytes](const box& where) {
    auto all = shared->pixels;
    if (!all.memory || !(all.where == where)) {
      const auto region = region_of(where);
      all = block(*of->memory, where, bytes * static_cast<std::size_t>(channels));
      if (where.pixels() > 0) source->read(region, all.first);
      of->bytes_read += where.pixels() * static_cast<std::int64_t>(all.pixel_bytes);
      if (channels > 1) shared->pixels = all;
    }
    if (channels == 1) return all;
    block one(*of->memory, where, bytes);
    const std::byte* const from = all.first + static_cast<std::size_t>(channel) * bytes;
    for (std::int64_t i = 0; i < where.pixels(); ++i)
      std::memcpy(one.first + i * static_cast<std::int64_t>(bytes),
                  from + i * static_cast<std::int64_t>(all.pixel_bytes), bytes);
    return one;
  };
}

namespace {

/// The index of the first NaN, or `count`.
template <class Float>
std::int64_t first_nan(const std::byte* pixels, std::int64_t count) {
  const auto* const all = reinterpret_cast<const Float*>(pixels);
  constexpr auto part = tuning::searched_pixels;
  for (std::int64_t begin = 0; begin < count; begin += part) {
    const auto end = std::min(count, begin + part);
    bool any = false;
    for (auto i = begin; i < end; ++i) any |= all[i] != all[i];
    if (any) return std::find_if(all + begin, all + end, [](Float v) { return v != v; }) - all;
  }
  return count;
}

std::int64_t first_nan(const block& packed) {
  const auto count = packed.where.pixels();
  return packed.pixel_bytes == 4 ? first_nan<float>(packed.first, count)
                                 : first_nan<double>(packed.first, count);
}

}  // namespace

block source_node::read(const box& where) {
  if (!last_.memory || !(last_.where == where)) {
    // What computes has the threads of this one; the thread of inputs has none.
    last_ = computed_of(source_) ? loading()(where) : expected_.take(run_.inputs, where, loading());
    if (refuse_ && first_nan(last_) < where.pixels()) refuse_first_nan();
  }
  return last_;
}

void source_node::refuse_first_nan() {
  const auto size = run_.piece_size(whole, room(), {false, whole.depth > 1, true});
  const piece_grid bands(whole, size);
  for (std::int64_t band = 0; band < bands.count(); ++band) {
    const auto where = bands.piece(band);
    const auto pixels = expected_.take(run_.inputs, where, loading());
    if (const auto i = first_nan(pixels); i < where.pixels())
      refuse_(frame{where.size.z, where.size.y, where.size.x, {0, 0, 0}}.site_at(i) + where.first);
  }
}

void source_node::expect(const box& where) {
  if (!computed_of(source_)) expected_.expect(run_.inputs, where, loading());
}

pixel_file::pixel_file(run& of, const piece_grid& grid, std::size_t pixel_bytes, const file_form& form)
    : run_(of),
      whole_(grid.whole()),
      pixel_bytes_(pixel_bytes),
      begin_(form.header ? static_cast<std::int64_t>(form.header->size()) : 0),
      path_(of.scratch_file()) {
  const bool is_private = !of.keeps_files() && !of.is_shared();
  if (begin_ == 0 && is_private) {
    coded_ = std::make_shared<coded_file>(path_.parent_path(), pixel_bytes);
    return;
  }
  const auto& header = form.header;
  if (!header) {
    const auto& whole = grid.whole().size;
    const piece_grid chunks({whole.z, whole.y, whole.x, {0, 0, 0}}, form.chunk.value_or(grid.size()));
    split_ = std::make_shared<split_file>(path_, chunks, pixel_bytes);
    return;
  }
  file_ = open_work_file(path_, of.resumes() || of.is_shared());
  if (!of.is_first_rank()) return;
  // A file that is continued keeps its time, by which later runs know it. Another rank may have made it
  // longer.
  std::string found(header->size(), '\0');
  if (::pread(file_.get(), found.data(), found.size(), 0) != begin_ || found != *header)
    write_all(file_.get(), header->data(), header->size(), 0, path_);
}

pixel_file::~pixel_file() {
  if (coded_ || split_) return;
  if (!run_.keeps_files() && run_.is_first_rank())
    ::unlink(path_.c_str());  // fails where the file was adopted
}

void pixel_file::write(const block& pixels) {
  if (coded_) return write_coded(pixels);
  if (split_)
    split_->write(pixels);
  else
    over_parts(pixels, whole_, [&](std::int64_t offset, const std::byte* from, std::int64_t count) {
      write_all(file_.get(), from, static_cast<std::size_t>(count), begin_ + offset, path_);
    });
  run_.scratch_written += pixels.where.pixels() * static_cast<std::int64_t>(pixel_bytes_);
}

void pixel_file::write_coded(const block& pixels) {
  const auto before = coded_->bytes();
  if (pixels.is_packed()) {
    coded_->write(region_of(pixels.where), pixels.first);
  } else {
    const block packed(*run_.memory, pixels.where, pixel_bytes_);
    const auto end = pixels.where.end();
    for (auto z = pixels.where.first.z; z < end.z; ++z)
      for (auto y = pixels.where.first.y; y < end.y; ++y)
        std::memcpy(packed.row(z, y), pixels.row(z, y),
                    static_cast<std::size_t>(pixels.where.size.x) * pixel_bytes_);
    coded_->write(region_of(packed.where), packed.first);
  }
  run_.scratch_written += coded_->bytes() - before;
}

block pixel_file::read(const box& where) {
  block pixels(*run_.memory, where, pixel_bytes_);
  if (coded_)
    coded_->read(region_of(where), pixels.first);
  else if (split_)
    split_->read(pixels);
  else
    over_parts(pixels, whole_, [&](std::int64_t offset, std::byte* to, std::int64_t count) {
      read_all(file_.get(), to, static_cast<std::size_t>(count), begin_ + offset, path_);
    });
  run_.scratch_read += where.pixels() * static_cast<std::int64_t>(pixel_bytes_);
  return pixels;
}

stored::stored(run& of, const frame& shape, std::size_t bytes, site piece, file_form form)
    : node(shape, bytes),
      run_(of),
      grid_(shape, piece),
      form_(std::move(form)),
      file_(std::make_shared<pixel_file>(of, grid_, bytes, form_)),
      written_(of.next_record()),
      finished_(of.next_record()) {}

void stored::write(block pixels, std::function<void()> after) {
  run_.files.write([file = file_, pixels = std::move(pixels), after = std::move(after)] {
    file->write(pixels);
    if (after) after();
  });
}

void stored::fill(const std::function<block(std::int64_t, std::optional<std::int64_t>)>& compute) {
  share_pieces(run_, grid_, [&](std::int64_t piece, std::optional<std::int64_t> next) {
    if (run_.found(written_, piece)) return;
    write(compute(piece, next), [of = &run_, record = written_, piece] { of->done.record(record, piece); });
  });
  if (run_.is_shared()) run_.meet();
}

block stored::read_as_it_is(const box& where) {
  return expected_.take(run_.files, where, [file = file_](const box& place) { return file->read(place); });
}

void stored::expect_as_it_is(const box& where) {
  expected_.expect(run_.files, where, [file = file_](const box& place) { return file->read(place); });
}

block stored::read(const box& where) {
  finish(where);
  return read_as_it_is(where);
}

void stored::expect(const box& where) {
  if (is_finished(where)) expect_as_it_is(where);
}

void stored::finish_later(completion complete) {
  complete_ = std::move(complete);
  unfinished_.assign(static_cast<std::size_t>(grid_.count()), true);
  // Other ranks read pieces of this one, which only it can complete.
  if (run_.is_shared()) finish();
}

bool stored::is_finished(const box& where) const {
  bool all = true;
  if (complete_)
    grid_.for_each_in(where,
                      [&](std::int64_t piece) { all &= !unfinished_[static_cast<std::size_t>(piece)]; });
  return all;
}

void stored::finish(const box& where) {
  if (!complete_) return;
  grid_.for_each_in(where, [&](std::int64_t piece) {
    if (!unfinished_[static_cast<std::size_t>(piece)]) return;
    unfinished_[static_cast<std::size_t>(piece)] = false;
    if (run_.found(finished_, piece)) return;
    auto pixels = complete_(piece);
    if (!pixels) return;
    write(std::move(*pixels), [of = &run_, record = finished_, piece] { of->done.record(record, piece); });
  });
}

void stored::finish() {
  if (complete_) run_.over_pieces(grid_, [&](std::int64_t piece) { finish(grid_.piece(piece)); });
  run_.meet();
  complete_ = nullptr;  // it may have files of this rank that others read
}

}  // namespace macareu::pieces
