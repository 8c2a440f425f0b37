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
#include <macareu/version.hpp>

#include "catalogue_text.hpp"
#include "command/outputs.hpp"
#include "command/progress_bar.hpp"
#include "command/shared_ranks.hpp"
#include "outputs/json_report.hpp"
#include "outputs/object_outputs.hpp"
#include "running/piece_steps.hpp"
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

std::vector<std::string> input_files(const measuring& given) {
  std::vector<std::string> inputs{given.labels_file};
  for (const auto& file : {given.outputs.intensity_file, given.under_file})
    if (!file.empty()) inputs.push_back(file);
  return inputs;
}

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
  const auto inputs = input_files(given);
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

std::vector<std::string> written_files(const measuring& given) {
  std::vector<std::string> files;
  for (const auto& file : {given.outputs.table_file, given.outputs.overlay_file, given.running.report_file})
    if (!file.empty()) files.push_back(file);
  return files;
}

run_record record_of(const measuring& given, const extents& shape, dtype type) {
  return {.name = std::string(about().name),
          .parameters = given.outputs.measure_parameters(),
          .shape = shape,
          .type = type,
          .repeat = given.running.repeat,
          .run = {}};
}

/// The inputs; those that are not given are null.
struct opened_inputs {
  std::unique_ptr<image_source> labels, intensity, under;
};

std::optional<opened_inputs> open_for_pieces(const measuring& given) {
  if (!may_need_pieces(given.running, input_files(given), true)) return std::nullopt;
  std::int64_t bytes = 0;
  const auto open = [&](const std::string& file) {
    auto source = file.empty()
                      ? nullptr
                      : given.reading.open_grey(file, scratch_directory(given.running, written_files(given)));
    if (source) bytes += bytes_in_memory(source->form());
    return source;
  };
  opened_inputs all{open(given.labels_file), open(given.outputs.intensity_file), open(given.under_file)};
  bytes += bytes_of_objects(given.running, all.labels->form().shape);
  if (!needs_pieces(about().verb, given.running, all.labels->form().shape, bytes)) return std::nullopt;
  return all;
}

work_folder::description describe(const measuring& given, const run_record& record,
                                  const opened_inputs& from) {
  const auto& pieces = given.running.pieces;
  work_folder::description text{"operator: measure\nversion: " + std::string(version) +
                                    "\nmemory: " + std::to_string(pieces.memory) + "\n",
                                ""};
  for (const auto side : pieces.size) text.run += "pieces: " + std::to_string(side) + "\n";
  for (const auto& [name, value] : record.parameters) text.run += name + ": " + to_json(value) + "\n";
  for (const auto& file : written_files(given)) text.run += "output: " + file + "\n";
  const auto add = [&](std::string_view name, const image_source* source) {
    if (source) text.inputs += describe_input(name, *source, pieces.resume);
  };
  add("labels", from.labels.get());
  add("intensity", from.intensity.get());
  add("on", from.under.get());
  return text;
}

int run_in_pieces(const measuring& given, const opened_inputs& from, interruption& signals) {
  const auto& running = given.running;
  if (running.repeat > 1)
    throw usage_error("--repeat is for images in memory: leave it out, or raise --memory");
  const auto& form = from.labels->form();
  given.outputs.check_inputs(form.shape, form_of(from.intensity.get()),
                             from.under ? from.under->form().shape : extents{});
  auto record = record_of(given, form.shape, form.type);
  const interruption::careful_section careful(signals);
  progress_bar bar(std::string(about().verb), running.quiet);
  auto how = running.how;
  how.stop = signals.token();
  how.report = &record.run;
  run_resumable(
      about().verb, running, written_files(given), [&] { return describe(given, record, from); },
      [&](piece_steps steps) {
        steps.options.progress = bar.piece_callback();
        steps.options.report = &record.pieces.emplace();
        output_files all(steps.folder);
        const rank_watch watch;
        given.outputs.describe_in_pieces(all, *from.labels, from.intensity.get(),
                                         from.under ? *from.under : *from.labels, how, steps);
        record.ranks = watch.of_all_ranks();
        const bool durable = steps.made_durable();
        if (!is_first_rank()) return;
        record.compute_seconds = record.run.compute_seconds;
        if (!running.report_file.empty()) all.add_text(running.report_file, to_json(record));
        signals.check();
        all.commit(durable);
      });
  tell_note(about().verb, record, running);
  return exit_code::done;
}

int run(measuring& given, interruption& signals) {
  given.running.begin(signals);
  check_before_reading(given);
  if (const auto inputs = open_for_pieces(given)) return run_in_pieces(given, *inputs, signals);
  const stopwatch reading;
  const auto labels = given.reading.read_grey(given.labels_file).pixels;
  const auto intensity = given.outputs.read_intensity(given.reading);
  image under;
  if (!given.under_file.empty()) under = given.reading.read_grey(given.under_file).pixels;
  given.outputs.check_inputs(labels.shape(), form_of(intensity), under.shape());
  auto record = record_of(given, labels.shape(), labels.type());
  record.read_seconds = reading.seconds();
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
          .on_ranks = true,
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
