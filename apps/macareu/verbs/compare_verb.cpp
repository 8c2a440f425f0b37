#include <cstdio>
#include <iostream>
#include <memory>

#include <macareu/compare.hpp>

#include "command/inputs.hpp"
#include "command/text.hpp"
#include "verbs/verbs.hpp"

namespace macareu::tool {
namespace {

struct comparison_run {
  std::string left, right;
  double tolerance = 0;
  bool edges = false;
  bool quiet = false;
  input_options reading;
};

std::string place(const comparison& found, const extents& shape) {
  const auto& [z, y, x] = found.first;
  return (shape.rank() == 3 ? "slice " + std::to_string(z) + ", " : std::string()) + "row " +
         std::to_string(y) + ", column " + std::to_string(x);
}

std::string verdict(const comparison& found, const image& left, double tolerance) {
  const auto what = to_string(left.shape()) + " " + std::string(name_of(left.type()));
  if (found.different == 0) return "equal: " + what;
  auto text = std::to_string(found.different) + " of " + std::to_string(found.pixels) +
              (left.channels() > 1 ? " values" : " pixels") + " differ, the largest difference is " +
              shortest(found.largest) + "; first at " + place(found, left.shape()) + ": " +
              shortest(found.left) + " and " + shortest(found.right);
  if (found.largest <= tolerance) text += "; all within the tolerance of " + shortest(tolerance);
  return text;
}

int run_edges(const comparison_run& given, const image& reference, const image& other) {
  const auto found = compare_edges(reference, other);
  if (!given.quiet)
    std::cout << "Pco " << shortest(found.correct()) << ", Pnd " << shortest(found.not_detected()) << ", Pfa "
              << shortest(found.false_alarms()) << "; " << found.both << " of " << found.expected << " and "
              << found.found << " edge pixels are the same\n";
  return found.both == found.expected && found.both == found.found ? exit_code::done : exit_code::difference;
}

int run(const comparison_run& given) {
  given.reading.check({given.left, given.right});
  const auto left = given.reading.read(given.left).pixels;
  const auto right = given.reading.read(given.right).pixels;
  if (given.edges) return run_edges(given, left, right);
  const auto found = compare(left, right);
  if (!given.quiet) std::cout << verdict(found, left, given.tolerance) << '\n';
  // False for NaN: NaN against a number is a difference.
  const bool same = found.different == 0 || found.largest <= given.tolerance;
  return same ? exit_code::done : exit_code::difference;
}

}  // namespace

verb compare_verb() {
  return {
      .name = "compare",
      .group = "Tools",
      .brief = "Tells how many pixels of two images differ, by how much, and where first.",
      .notes =
          "Exits with 0 if the images are equal within the tolerance, and with 1 if they differ. Images of "
          "different shape, type or channels cannot be compared (exit 2). Two NaN are equal. With --edges "
          "the types may differ. A is the reference. Edge pixels in both (Pco), in A only (Pnd, not "
          "detected) and in B only (Pfa, false alarms) are shares of the larger number of edge pixels.",
      .prepare = [](parser& options) {
        const auto given = std::make_shared<comparison_run>();
        options.add({.group = "Inputs",
                     .names = "A",
                     .help = "an image",
                     .required = true,
                     .take = [given](const std::string& text) { given->left = text; }});
        options.add({.group = "Inputs",
                     .names = "B",
                     .help = "another of the same shape and type",
                     .required = true,
                     .take = [given](const std::string& text) { given->right = text; }});
        options.add({.group = "Parameters",
                     .names = "--tolerance",
                     .value = "T",
                     .help = "differences up to T do not count (default: 0)",
                     .take = [given](const std::string& text) {
                       given->tolerance = real_number("--tolerance", text, 0);
                     }});
        options.add({.group = "Parameters",
                     .names = "--edges",
                     .help = "pixels that are not 0 are edges: print Pco, Pnd and Pfa",
                     .take = [given](const std::string&) { given->edges = true; }});
        given->reading.add_to(options);
        options.add({.group = "Running",
                     .names = "--quiet",
                     .help = "print nothing, only exit with 0 or 1",
                     .take = [given](const std::string&) { given->quiet = true; }});
        return [given](interruption&) { return run(*given); };
      }};
}

}  // namespace macareu::tool
