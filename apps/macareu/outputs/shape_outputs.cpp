#include "outputs/shape_outputs.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>

#include <macareu/error.hpp>

#include "command/outputs.hpp"
#include "command/text.hpp"
#include "tuning.hpp"

namespace macareu::tool {
namespace {

std::optional<shape_format> format_of(const std::string& file) {
  auto name = lower(file);
  if (name.ends_with(".gz")) name.resize(name.size() - 3);
  constexpr std::array formats{std::pair{".geojson", shape_format::geojson},
                               std::pair{".csv", shape_format::csv}, std::pair{".wkt", shape_format::wkt}};
  for (const auto& [extension, format] : formats)
    if (name.ends_with(extension)) return format;
  return std::nullopt;
}

double scale_from(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  constexpr double least = 1e-100, most = 1e100;  // products with coordinates are numbers too
  if (error != std::errc{} || end != text.data() + text.size() || !(value >= least && value <= most))
    throw usage_error("--scale: expected a number from 1e-100 to 1e+100, got '" + text + "'");
  return value;
}

}  // namespace

void shape_outputs::add_to(parser& options, const operator_description& about) {
  options.add({.group = "Outputs",
               .names = "-o,--output",
               .value = "SHAPES",
               .help = std::string(about.shapes) +
                       "; .geojson, .csv (a row a corner) or .wkt (a row an object), each also with .gz",
               .required = true,
               .take = [this](const std::string& text) { file_ = text; }});
  options.add({.group = "Outputs",
               .names = "--scale",
               .value = "NUMBER",
               .help = "coordinates are multiplied by it, as by the size of a pixel (default: 1)",
               .take = [this](const std::string& text) { scale_ = scale_from(text); }});
}

std::vector<std::string> shape_outputs::check() const {
  if (file_.empty()) return {};
  if (!format_of(file_))
    throw usage_error(file_, "polygons are written as .geojson, .csv or .wkt, or these with .gz");
  check_text_output(file_);
  return {file_};
}

void shape_outputs::open(const std::filesystem::path& place) {
  waiting_.clear();
  out_ = std::make_unique<text_file>(place);
  text_ = std::make_unique<shape_text>(*format_of(file_), scale_);
  text_->begin(waiting_);
}

void shape_outputs::add(const shape& one) {
  text_->add(waiting_, one);
  if (waiting_.size() >= tuning::bytes_a_write) flush();
}

void shape_outputs::commit() {
  text_->end(waiting_);
  flush();
  out_->commit();
}

void shape_outputs::flush() {
  out_->write(waiting_);
  waiting_.clear();
}

}  // namespace macareu::tool
