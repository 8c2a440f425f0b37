// The page of a slide: deep zoom with nuclei, their table and the tissue.
#include <iostream>

#include <macareu/page.hpp>

#include "command/progress_bar.hpp"
#include "nuclei/slide_run.hpp"
#include "slides/outputs/outline_text.hpp"
#include "slides/tissue/tissue.hpp"

namespace macareu::tool {

void slide_run::write_page(const std::string& summary) {
  if (const auto missing = missing_for_pages(); !missing.empty()) {
    if (!settings_.running.quiet) std::cerr << "macareu: nuclei: no page: " << missing << std::endl;
    return;
  }
  table objects;
  std::vector<std::uint64_t> numbers(rows_->rows());
  for (std::size_t row = 0; row < numbers.size(); ++row) numbers[row] = row + 1;
  objects.columns.push_back({"label", std::move(numbers)});
  for (const auto& column : rows_->columns()) {
    std::vector<double> values(rows_->rows());
    for (std::size_t row = 0; row < values.size(); ++row) values[row] = column[row];
    objects.columns.push_back({column.name, std::move(values)});
  }

  // The page shows the analysed part, so outlines begin at its first pixel.
  slides::outline_text text;
  std::string tissue;
  text.begin(tissue);
  for (const auto& outline : slides::tissue_outlines(tissue_, rgb_->form().shape)) {
    const auto& first = outline.parts[0].rings[0][0];
    text.add_tissue(tissue, rows_->id("tissue", first.x, first.y), outline, 0);
  }
  text.end(tissue);

  const auto name = std::filesystem::path(file_).filename().string();
  progress_bar bar("nuclei: " + name + ": page", settings_.running.quiet);
  macareu::write_page(work_,
                      {.title = name,
                       .images = {{name, {rgb_.get()}}},
                       .labels = {"nuclei", {labels_.get()}},
                       .objects = &objects,
                       .outline = tissue,
                       .summary = summary,
                       .pixel_size = std::array{mpp_, mpp_}},
                      {.progress = bar.callback(), .stop = signals_.token(), .threads = settings_.threads()});
}

}  // namespace macareu::tool
