// Runs of operators on images larger than memory.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include <macareu/error.hpp>
#include <macareu/version.hpp>

#include "command/outputs.hpp"
#include "command/progress_bar.hpp"
#include "command/shared_ranks.hpp"
#include "command/text.hpp"
#include "command/verb.hpp"
#include "running/operator_run.hpp"
#include "running/piece_steps.hpp"
#include "running/step_image.hpp"
#include "running/timing.hpp"
#include "running/usage_errors.hpp"

namespace macareu::tool {

namespace fs = std::filesystem;

std::vector<std::string> operator_run::written_files() const {
  std::vector<std::string> files;
  for (const auto& file : outputs)
    if (file) files.push_back(*file);
  for (const auto& more : {tables.check(), shapes.check()})
    files.insert(files.end(), more.begin(), more.end());
  for (const auto& file : {objects.table_file, objects.overlay_file, running.report_file})
    if (!file.empty()) files.push_back(file);
  return files;
}

fs::path operator_run::scratch_directory() const { return tool::scratch_directory(running, written_files()); }

std::unique_ptr<image_sink> operator_run::sink_for(const fs::path& file, const source_form& form,
                                                   const fs::path& work) const {
  return create_sink(
      file, form,
      {.scratch = work.empty() ? running.pieces.scratch : work,
       .pyramid = pyramid,
       .levels_in_memory = std::min(sink_options{}.levels_in_memory, host_limit_of(running.pieces)),
       .labels = about_.gives_labels,
       .resumable = !work.empty()});
}

std::optional<operator_run::piece_inputs> operator_run::open_for_pieces() const {
  auto files = input_files();
  if (!objects.intensity_file.empty()) files.push_back(objects.intensity_file);
  const bool describes_objects = objects.wanted() || objects.drops_objects();
  if (!may_need_pieces(running, files, describes_objects)) return std::nullopt;
  piece_inputs opened;
  auto& sources = opened.images;
  std::vector<image_source*> all;
  std::int64_t needed = 0;
  for (std::size_t i = 0; i < given.size(); ++i) {
    sources.push_back(!given[i]            ? nullptr
                      : may_have_colour(i) ? reading.open_grey_or_colour(*given[i], scratch_directory())
                                           : reading.open_grey(*given[i], scratch_directory()));
    all.push_back(sources.back().get());
    if (given[i]) needed += bytes_in_memory(sources.back()->form());
  }
  check_call(forms_of(sources));
  for (std::size_t o = 0; o < outputs.size(); ++o)
    if (outputs[o]) needed += bytes_in_memory(output_form(about_, o, all, values));
  if (!objects.intensity_file.empty()) {
    opened.intensity = reading.open_grey(objects.intensity_file, scratch_directory());
    needed += bytes_in_memory(opened.intensity->form());
  }
  if (describes_objects) needed += bytes_of_objects(running, sources[0]->form().shape);
  if (!needs_pieces(about_.verb, running, sources[0]->form().shape, needed)) return std::nullopt;
  return opened;
}

std::vector<image_form> operator_run::forms_of(const std::vector<std::unique_ptr<image_source>>& sources) {
  std::vector<image_form> forms;
  for (const auto& source : sources)
    forms.push_back(source ? image_form{source->form().type, source->form().shape, source->form().channels}
                           : image_form{.shape = extents{}});
  return forms;
}

work_folder::description operator_run::description(const std::vector<std::unique_ptr<image_source>>& sources,
                                                   const image_source* intensity) const {
  work_folder::description text{"operator: " + std::string(about_.name) +
                                    "\nversion: " + std::string(version) +
                                    "\nmemory: " + std::to_string(running.pieces.memory) + "\n",
                                ""};
  for (const auto side : running.pieces.size) text.run += "pieces: " + std::to_string(side) + "\n";
  for (const auto& [name, value] : record_.parameters) text.run += name + ": " + to_json(value) + "\n";
  for (const auto& file : written_files())
    if (file != running.report_file) text.run += "output: " + file + "\n";
  if (pyramid) text.run += "output: with smaller levels\n";
  for (std::size_t i = 0; i < sources.size(); ++i)
    if (sources[i]) text.inputs += describe_input(about_.inputs[i].name, *sources[i], running.pieces.resume);
  if (intensity) text.inputs += describe_input("intensity", *intensity, running.pieces.resume);
  return text;
}

void operator_run::compute_in_pieces(const std::vector<image_source*>& from,
                                     const std::vector<image_sink*>& to, const context& how,
                                     const piece_options& options, table& measured) {
  translate_usage_errors(about_, spelling::of_verb, [&] {
    if (gives_shapes())
      compute_shapes_in_pieces(
          about_, from, [&](const shape& one) { shapes.add(one); }, values, how, options);
    else if (gives_table())
      measured = compute_table_in_pieces(about_, from, values, how, options);
    else
      macareu::run_in_pieces(about_, from, to, values, how, options);
  });
}

void operator_run::select_objects(image_source& labels, image_source* intensity, image_sink& selected,
                                  const context& how, const piece_steps& steps) {
  run_report selection;
  auto counting = how;
  counting.report = &selection;
  objects.select_in_pieces(labels, intensity, selected, counting, steps.of("selection"));
  on_first_rank([&] { selected.commit(); });
  record_.run.count = selection.count;
}

void operator_run::finish_in_pieces(const std::vector<std::unique_ptr<image_source>>& sources,
                                    image_source* intensity, const context& how, const piece_steps& steps) {
  const rank_watch watch;
  std::vector<image_source*> from;
  for (const auto& source : sources) from.push_back(source.get());
  // Outputs are complete files of the folder before the first gets its name.
  std::vector<fs::path> made(outputs.size());
  std::vector<std::unique_ptr<image_sink>> sinks(outputs.size());
  std::vector<image_sink*> to(outputs.size());
  for (std::size_t o = 0; o < outputs.size(); ++o) {
    if (!outputs[o]) continue;
    const auto form = output_form(about_, o, from, values);
    auto own = fs::path(*outputs[o]).filename();
    if (!own.has_extension()) own += ".npy";
    made[o] = steps.folder / ("output-" + std::to_string(o)) / own;
    fs::create_directory(made[o].parent_path());
    sinks[o] = created_by_ranks([&] { return sink_for(made[o], form, steps.folder); });
    to[o] = sinks[o].get();
  }
  const bool describes = objects.wanted() || objects.drops_objects();
  // Other formats may not be readable as they were written, or only in chunks.
  const bool output_is_readable = describes && lower(made[0].extension().string()) == ".npy";
  std::optional<step_image> labels, selected;
  if (describes && (objects.drops_objects() || !output_is_readable))
    to[0] = &labels
                 .emplace("labels", output_form(about_, 0, from, values), steps,
                          objects.drops_objects() ? nullptr : sinks[0].get())
                 .sink();
  auto shapes_file = steps.folder / fs::path(shapes.file()).filename();
  if (!is_first_rank()) shapes_file = "/dev/null";
  if (gives_shapes()) shapes.open(shapes_file);
  table measured;
  auto options = steps.of("run");
  options.report = &record_.pieces.emplace();
  compute_in_pieces(from, to, how, options, measured);
  on_first_rank([&] {
    for (std::size_t o = 0; o < outputs.size(); ++o)
      if (to[o]) to[o]->commit();
  });
  output_files all(steps.folder);
  run_report measurement;
  double copy_seconds = 0;
  if (describes) {
    if (objects.drops_objects()) {
      if (!output_is_readable) selected.emplace("kept", labels->form(), steps, sinks[0].get());
      select_objects(labels->source(), intensity, selected ? selected->sink() : *sinks[0], how, steps);
    }
    std::unique_ptr<image_source> output;
    if (output_is_readable) output = open_source(made[0], {}, steps.folder);
    auto& described = output ? *output : selected ? selected->source() : labels->source();
    if (objects.wanted()) {
      auto measuring = how;
      measuring.report = &measurement;
      objects.describe_in_pieces(all, described, intensity, *from[0], measuring, steps);
    }
    if (!output_is_readable) {
      const auto begin = std::chrono::steady_clock::now();
      copy_pixels_by_ranks(described, *sinks[0], how);
      copy_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    }
  }
  record_.ranks = watch.of_all_ranks();
  const bool durable = steps.made_durable();
  if (!is_first_rank()) return;  // the first one gives outputs their names, and tells if it cannot
  for (std::size_t o = 0; o < outputs.size(); ++o)
    if (outputs[o]) all.add_finished(*outputs[o], made[o]);
  if (gives_shapes()) {
    shapes.commit();
    all.add_finished(shapes.file(), shapes_file);
  }
  if (gives_table()) tables.add_to(all, measured);
  record_.compute_seconds = record_.run.compute_seconds + measurement.compute_seconds + copy_seconds;
  if (!running.report_file.empty()) all.add_text(running.report_file, to_json(record_));
  if (how.stop.stop_requested()) throw interrupted();
  all.commit(durable);
  if (gives_table()) tables.print(measured);
}

int operator_run::run_in_pieces(const piece_inputs& opened, interruption& signals) {
  if (running.repeat > 1)
    throw usage_error("--repeat is for images in memory: leave it out, or raise --memory");
  const auto& sources = opened.images;
  const auto& intensity = opened.intensity;
  const auto& first = sources[0]->form();
  objects.check_inputs(first.shape, form_of(intensity.get()), first.shape);
  record_inputs(first.shape, first.type);
  const interruption::careful_section careful(signals);
  const const_image_view as_view(nullptr, first.type, first.shape, strides{}, first.channels);
  name_kept_outputs(as_view);
  std::vector<image_source*> from;
  for (const auto& source : sources) from.push_back(source.get());
  on_first_rank([&] {  // throws if a destination cannot be written
    for (std::size_t o = 0; o < outputs.size(); ++o)
      if (outputs[o]) sink_for(*outputs[o], output_form(about_, o, from, values), {});
  });
  progress_bar bar(std::string(about_.verb), running.quiet);
  auto how = running.how;
  how.stop = signals.token();
  how.report = &record_.run;
  run_resumable(
      about_.verb, running, written_files(), [&] { return description(sources, intensity.get()); },
      [&](piece_steps steps) {
        steps.options.progress = bar.piece_callback();
        finish_in_pieces(sources, intensity.get(), how, steps);
      });
  tell_note(about_.verb, record_, running);
  return exit_code::done;
}

}  // namespace macareu::tool
