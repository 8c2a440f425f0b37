#include "outputs/table_outputs.hpp"

#include <cstdio>

#include <macareu/error.hpp>

#include "command/outputs.hpp"
#include "command/text.hpp"
#include "pictures/histogram_plot.hpp"

namespace macareu::tool {
namespace {

bool is_json(const std::string& file) { return lower(file).ends_with(".json"); }

}  // namespace

void table_outputs::add_to(parser& options, const operator_description& about) {
  options.add({.group = "Outputs",
               .names = "-o,--output",
               .value = "TABLE",
               .help = std::string(about.table) + "; .csv or .json (without it the table is printed)",
               .take = [this](const std::string& text) { file_ = text; }});
  if (!about.is_histogram) return;
  options.add({.group = "Outputs",
               .names = "--plot",
               .value = "PICTURE",
               .help = "the counts as bars, or as lines for colour; the extension selects the format",
               .take = [this](const std::string& text) { plot_ = text; }});
}

std::vector<std::string> table_outputs::check() const {
  std::vector<std::string> files;
  if (!file_.empty()) {
    if (!is_json(file_) && !lower(file_).ends_with(".csv"))
      throw usage_error(file_, "a table is written as .csv or .json");
    check_text_output(file_);
    files.push_back(file_);
  }
  if (!plot_.empty()) {
    check_image_output(plot_);
    files.push_back(plot_);
  }
  return files;
}

void table_outputs::add_to(output_files& files, const table& data) const {
  if (!file_.empty() && is_json(file_)) files.add_text(file_, to_json(data));
  if (!file_.empty() && !is_json(file_))
    files.add_text(file_, [&data](const auto& write) { write_csv(data, write); });
  if (!plot_.empty()) files.add(plot_, histogram_plot(data));
}

void table_outputs::print(const table& data) const {
  if (file_.empty()) std::fputs(to_csv(data).c_str(), stdout);
}

}  // namespace macareu::tool
