// --page: what an operator read and wrote, as a page.
#include <array>
#include <filesystem>
#include <memory>
#include <utility>

#include <macareu/page.hpp>

#include "command/progress_bar.hpp"
#include "command/shared_ranks.hpp"
#include "command/shown_image.hpp"
#include "running/operator_run.hpp"

namespace macareu::tool {

void operator_run::write_page(const interruption& signals) const {
  namespace fs = std::filesystem;
  if (page_folder.empty() || !is_first_rank()) return;
  const auto scratch = scratch_directory();
  auto alone = running.pieces;
  alone.shared_by = nullptr;
  std::vector<std::unique_ptr<image_source>> opened;
  page_content content;
  content.title = std::string(about_.verb) + " " + fs::path(*given[0]).filename().string();
  const auto show = [&](const std::string& name, std::unique_ptr<image_source> source) {
    content.images.push_back({fs::path(name).filename().string(), {source.get()}});
    opened.push_back(std::move(source));
  };
  const auto open_input = [&](std::size_t i) {
    return may_have_colour(i) ? reading.open_grey_or_colour(*given[i], scratch)
                              : reading.open_grey(*given[i], scratch);
  };
  show(*given[0], open_input(0));
  content.pixel_size = micrometres(opened[0]->form());
  auto result = open_source(*outputs[0], {}, scratch);
  table measured;
  if (about_.gives_labels) {
    measured = objects.measure_in_pieces(*result, {.device = "cpu", .stop = signals.token()}, alone);
    content.labels = {fs::path(*outputs[0]).filename().string(), {result.get()}};
    content.objects = &measured;
  } else {
    show(*outputs[0], std::move(result));
  }
  for (std::size_t i = 1; i < given.size(); ++i)
    if (given[i])
      if (auto other = open_input(i); other->form().shape == opened[0]->form().shape)
        show(*given[i], std::move(other));
  progress_bar bar("page", running.quiet);
  macareu::write_page(page_folder, content, {.progress = bar.callback(), .stop = signals.token()});
}

}  // namespace macareu::tool
