// Objects of an existing label image.
#include <array>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <macareu/catalogue.hpp>
#include <macareu/error.hpp>

#include "catalogue_text.hpp"
#include "command/outputs.hpp"
#include "outputs/json_report.hpp"
#include "outputs/object_outputs.hpp"
#include "running/run_options.hpp"
#include "running/timing.hpp"
#include "verbs/verbs.hpp"

namespace macareu::tool {
namespace {

struct measuring {
  std::string labels_file, under_file;
  object_outputs outputs;
  input_options reading;
  run_options running;
};

const operator_description& about() { return *find_operator("measure"); }

void check_before_reading(const measuring& given) {
  const auto& outputs = given.outputs;
  auto files = outputs.check_before_reading(!outputs.wanted());
  if (!given.running.report_file.empty()) {
    check_text_output(given.running.report_file);
    files.push_back(given.running.report_file);
  }
  check_distinct(files);
  if (outputs.overlay_file.empty() != given.under_file.empty())
    throw usage_error(given.under_file.empty() ? "--overlay needs --on, the image to draw on"
                                               : "--on is for --overlay, which is not given");
  std::vector<std::string> inputs{given.labels_file};
  for (const auto& file : {outputs.intensity_file, given.under_file})
    if (!file.empty()) inputs.push_back(file);
  given.reading.check(inputs);
  check_no_input(files, inputs);
  validate(about(), std::array<image_form, 1>{}, {}, given.running.how);
}

table compute(const measuring& given, const image& labels, const std::optional<image>& intensity,
              const interruption& signals, run_record& record) {
  auto how = given.running.how;
  how.stop = signals.token();
  how.report = &record.run;
  repetition times;
  table objects;
  while (std::cmp_less(times.done(), given.running.repeat)) {
    objects = given.outputs.measure(labels, intensity, how);
    times.add(record.run);
  }
  times.tell(record);
  return objects;
}

int run(measuring& given, interruption& signals) {
  check_before_reading(given);
  const stopwatch reading;
  const auto labels = given.reading.read_grey(given.labels_file).pixels;
  const auto intensity = given.outputs.read_intensity(given.reading);
  image under;
  if (!given.under_file.empty()) under = given.reading.read_grey(given.under_file).pixels;
  given.outputs.check_inputs(labels.shape(), intensity, under.shape());
  run_record record{.name = std::string(about().name),
                    .parameters = given.outputs.measure_parameters(),
                    .shape = labels.shape(),
                    .type = labels.type(),
                    .repeat = given.running.repeat,
                    .run = {},
                    .read_seconds = reading.seconds()};
  const interruption::careful_section careful(signals);
  const auto objects = compute(given, labels, intensity, signals, record);
  const stopwatch writing;
  output_files all;
  given.outputs.add(all, objects, labels, under);
  record.write_seconds = writing.seconds();
  if (!given.running.report_file.empty()) all.add_text(given.running.report_file, to_json(record));
  signals.check();
  all.commit();
  if (!given.outputs.wanted()) std::cout << to_csv(objects);
  tell_note(about().verb, record, given.running);
  tell_time(about().verb, record, given.running);
  return exit_code::done;
}

}  // namespace

verb measure_verb() {
  return {.name = std::string(about().verb),
          .group = "Objects",
          .brief = std::string(about().brief),
          .notes = notes_of(about()),
          .example = pages::command_example(about()),
          .prepare = [](parser& options) {
            const auto given = std::make_shared<measuring>();
            options.add({.group = "Inputs",
                         .names = "LABELS",
                         .help = std::string(about().inputs[0].help),
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
            given->running.add_to(options, about().pattern);
            return [given](interruption& signals) { return run(*given, signals); };
          }};
}

}  // namespace macareu::tool
