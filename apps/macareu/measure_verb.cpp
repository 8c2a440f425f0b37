// Objects of an existing label image.
#include <iostream>
#include <memory>

#include <macareu/catalogue.hpp>
#include <macareu/error.hpp>

#include "object_outputs.hpp"
#include "outputs.hpp"
#include "run_options.hpp"
#include "verb.hpp"

namespace macareu::tool {
namespace {

struct measuring {
  std::string labels_file, under_file;
  object_outputs outputs;
  input_options reading;
  run_options running;
};

int run(measuring& given, interruption& signals) {
  check_distinct(given.outputs.check_before_reading());
  if (!given.outputs.overlay_file.empty() && given.under_file.empty())
    throw usage_error("--overlay needs --on, the image to draw on");
  const auto labels = given.reading.read_grey(given.labels_file).pixels;
  const interruption::careful_section careful(signals);
  auto how = given.running.how;
  how.stop = signals.token();
  const auto objects = given.outputs.measure(labels, given.reading, how);
  if (!given.outputs.wanted()) {
    std::cout << to_csv(objects);
    return exit_code::done;
  }
  output_files all;
  image under;
  if (!given.under_file.empty()) under = given.reading.read_grey(given.under_file).pixels;
  given.outputs.add(all, objects, labels, under);
  signals.check();
  all.commit();
  return exit_code::done;
}

}  // namespace

verb measure_verb() {
  const auto& about = *find_operator("measure");
  return {.name = std::string(about.verb),
          .group = "Objects",
          .brief = std::string(about.brief),
          .notes = std::string(about.notes),
          .prepare = [&about](parser& options) {
            const auto given = std::make_shared<measuring>();
            options.add({.group = "Inputs",
                         .names = "LABELS",
                         .help = std::string(about.inputs[0].help),
                         .required = true,
                         .take = [given](const std::string& text) { given->labels_file = text; }});
            options.add({.group = "Inputs",
                         .names = "--on",
                         .value = "FILE",
                         .help = "the image that --overlay draws on",
                         .take = [given](const std::string& text) { given->under_file = text; }});
            given->outputs.add_to(options, "the image of --on");
            given->reading.add_channel_to(options);
            given->reading.add_to(options);
            given->running.add_to(options, about.pattern);
            return [given](interruption& signals) { return run(*given, signals); };
          }};
}

}  // namespace macareu::tool
