// The files of a slide: table, outlines, labels and tissue.
#include <array>

#include <macareu/shapes.hpp>
#include <macareu/text_file.hpp>

#include "nuclei/slide_run.hpp"
#include "slides/outputs/outline_text.hpp"
#include "slides/outputs/stored_texts.hpp"
#include "slides/tissue/tissue.hpp"
#include "tuning.hpp"

namespace macareu::tool {
namespace {

/// Collects text, and writes it in long parts.
class text_writer {
 public:
  text_writer(const std::filesystem::path& file, int threads) : file_(file, threads) {}

  std::string& text() {
    if (text_.size() >= tuning::bytes_a_write) flush();
    return text_;
  }
  void commit() {
    flush();
    file_.commit();
  }

 private:
  void flush() {
    file_.write(text_);
    text_.clear();
  }

  text_file file_;
  std::string text_;
};

}  // namespace

void slide_run::write_table() {
  text_writer out(work_ / slide_file::table, settings_.threads());
  out.text() += rows_->csv_head() + "\n";
  for (std::size_t row = 0; row < rows_->rows(); ++row) rows_->append_csv(out.text(), row);
  out.commit();
}

void slide_run::write_outlines() {
  const auto& place = rgb_->part().first;
  slides::outline_text text({place[2], place[1]});
  text_writer out(work_ / slide_file::outlines, settings_.threads());
  auto alone = pieces();
  alone.shared_by = nullptr;  // other ranks have no text to write
  const auto outline = [&](slides::label_store& labels, const take_shape& take) {
    compute_shapes_in_pieces(*find_operator("contours"), std::array<image_source*, 1>{&labels}, take, {},
                             computing(), alone);
  };
  text.begin(out.text());
  if (!cells_) {
    outline(*labels_, [&](const shape& nucleus) { text.add(out.text(), *rows_, nucleus); });
  } else {
    slides::stored_texts nuclei(pieces().scratch, rows_->rows());
    std::string geometry;
    outline(*labels_, [&](const shape& nucleus) {
      geometry.clear();
      text.geometry(geometry, nucleus);
      nuclei.add(nucleus.label, geometry);
    });
    outline(*cells_, [&](const shape& cell) { text.add(out.text(), *rows_, cell, nuclei[cell.label]); });
  }
  text.end(out.text());
  out.commit();
}

void slide_run::write_tissue() {
  const auto& place = rgb_->part().first;
  slides::outline_text text({place[2], place[1]});
  text_writer out(work_ / slide_file::tissue, 1);
  text.begin(out.text());
  for (const auto& outline : slides::tissue_outlines(tissue_, rgb_->form().shape)) {
    const auto& first = outline.parts[0].rings[0][0];
    text.add_tissue(out.text(), rows_->id("tissue", first.x, first.y), outline,
                    slides::area_of(outline) * mpp_ * mpp_);
  }
  text.end(out.text());
  out.commit();
}

void slide_run::write_labels() {
  labels_->write_to(work_ / (settings_.zarr_labels ? slide_file::labels_zarr : slide_file::labels_tiff));
}

}  // namespace macareu::tool
