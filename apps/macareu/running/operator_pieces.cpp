// Runs of operators on images larger than memory.
#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <memory>
#include <utility>

#include <macareu/error.hpp>

#include "command/outputs.hpp"
#include "command/progress_bar.hpp"
#include "command/text.hpp"
#include "command/verb.hpp"
#include "running/operator_run.hpp"
#include "running/timing.hpp"
#include "running/usage_errors.hpp"
#include "running/work_folder.hpp"

namespace macareu::tool {
namespace {

namespace fs = std::filesystem;

/// Beside images: the estimate of what an engine needs.
constexpr std::int64_t engine_bytes_per_pixel = 4;

/// Compressed pictures of flat areas take up to so many times their size in memory.
constexpr std::int64_t largest_expansion = 64;

std::int64_t bytes_of(const source_form& form) {
  return form.shape.pixels() * form.channels * static_cast<std::int64_t>(size_of(form.type));
}

std::int64_t bytes_on_disk(const std::string& file) {
  std::error_code error;
  if (fs::is_directory(file, error))
    return std::numeric_limits<std::int64_t>::max() / (2 * largest_expansion);
  const auto bytes = fs::file_size(file, error);
  return error ? 0 : static_cast<std::int64_t>(bytes);
}

std::string mebibytes(std::int64_t bytes) {
  return std::to_string((bytes >> 20) + (bytes % (1 << 20) != 0)) + " MiB";
}

fs::path directory_of(const std::string& file) {
  const auto parent = fs::path(file).parent_path();
  return parent.empty() ? "." : parent;
}

}  // namespace

fs::path operator_run::scratch_directory() const {
  if (!running.pieces.scratch.empty()) {
    std::error_code error;
    if (!fs::is_directory(running.pieces.scratch, error))
      throw io_error("--scratch: there is no directory " + running.pieces.scratch.string());
    return running.pieces.scratch;
  }
  for (const auto& file : outputs)
    if (file) return directory_of(*file);
  return fs::temp_directory_path();
}

std::unique_ptr<image_sink> operator_run::sink_for(std::size_t output, const source_form& form) const {
  return create_sink(*outputs[output], form,
                     {.scratch = running.pieces.scratch, .pyramid = pyramid, .labels = about_.gives_labels});
}

std::vector<std::unique_ptr<image_source>> operator_run::open_for_pieces() const {
  const bool forced = running.pieces.size != std::array<std::int64_t, 3>{} || running.pieces.resume;
  const auto limit = running.pieces.memory > 0 ? running.pieces.memory : default_memory();
  std::int64_t on_disk = 0;
  for (const auto& file : input_files()) on_disk += bytes_on_disk(file);
  if (!forced && on_disk * largest_expansion < limit) return {};
  std::vector<std::unique_ptr<image_source>> sources;
  std::vector<image_source*> all;
  std::int64_t needed = 0;
  for (std::size_t i = 0; i < given.size(); ++i) {
    sources.push_back(!given[i]            ? nullptr
                      : may_have_colour(i) ? reading.open_grey_or_colour(*given[i], scratch_directory())
                                           : reading.open_grey(*given[i], scratch_directory()));
    all.push_back(sources.back().get());
    if (given[i]) needed += bytes_of(sources.back()->form());
  }
  if (forced) return sources;
  check_call(forms_of(sources));
  for (std::size_t o = 0; o < outputs.size(); ++o)
    if (outputs[o]) needed += bytes_of(output_form(about_, o, all, values));
  needed += sources[0]->form().shape.pixels() * engine_bytes_per_pixel;
  if (needed <= limit) return {};
  if (!running.quiet)
    std::fprintf(stderr, "%s: in memory this takes %s, and the limit is %s: computing in pieces\n",
                 std::string(about_.verb).c_str(), mebibytes(needed).c_str(), mebibytes(limit).c_str());
  return sources;
}

std::vector<image_form> operator_run::forms_of(const std::vector<std::unique_ptr<image_source>>& sources) {
  std::vector<image_form> forms;
  for (const auto& source : sources)
    forms.push_back(source ? image_form{source->form().type, source->form().shape, source->form().channels}
                           : image_form{.shape = extents{}});
  return forms;
}

void operator_run::describe_in_pieces(const fs::path& labels, image_sink& output, const context& how,
                                      piece_options options, output_files& texts) {
  options.scratch = labels.parent_path();
  const auto intensity =
      objects.intensity_file.empty() ? nullptr : reading.open_grey(objects.intensity_file, options.scratch);
  if (intensity && intensity->form().shape != record_.shape)
    throw usage_error("--intensity is " + to_string(intensity->form().shape) + ", but the labels are " +
                      to_string(record_.shape) + ": they must have one shape");
  options.name.clear();
  options.resume = false;
  options.report = nullptr;
  run_report selection;
  auto counting = how;
  counting.report = &selection;
  auto numbered = open_source(labels, {}, options.scratch);
  const auto chosen = options.scratch / "kept.npy";
  auto described = labels;
  if (objects.drops_objects()) {
    const auto selected = create_sink(chosen, numbered->form(), {.scratch = options.scratch});
    objects.select_in_pieces(*numbered, *selected, counting, options);
    selected->commit();
    record_.run.count = selection.count;
    described = chosen;
    numbered = open_source(described, {}, options.scratch);
  }
  if (objects.wanted()) {
    measured_ = objects.measure_in_pieces(*numbered, intensity.get(), counting, options);
    objects.add_table(texts, measured_);
  }
  if (output.header() == create_sink(chosen, numbered->form())->header()) return output.adopt(described);
  // All objects in the order that they have: a copy.
  macareu::run_in_pieces(*find_operator("relabel"), std::array{numbered.get()}, std::array{&output}, {},
                         counting, options);
}

int operator_run::run_in_pieces(const std::vector<std::unique_ptr<image_source>>& sources,
                                interruption& signals) {
  if (running.repeat > 1)
    throw usage_error("--repeat is for images in memory: leave it out, or raise --memory");
  if (!objects.overlay_file.empty())
    throw usage_error("--overlay is for images in memory: leave it out, or raise --memory");
  check_call(forms_of(sources));
  const auto& first = sources[0]->form();
  record_.name = about_.name;
  record_.parameters = with_defaults(about_, values);
  record_.parameters.merge(objects.parameters());
  record_.shape = first.shape;
  record_.type = first.type;
  const interruption::careful_section careful(signals);
  const const_image_view as_view(nullptr, first.type, first.shape, strides{}, first.channels);
  name_kept_outputs(as_view);
  std::vector<image_source*> from;
  for (const auto& source : sources) from.push_back(source.get());
  std::vector<std::unique_ptr<image_sink>> sinks;
  std::vector<image_sink*> to;
  const bool describes = objects.wanted() || objects.drops_objects();
  const auto name = outputs.empty() ? std::string() : fs::path(*outputs[0]).filename().string();
  work_folder described(scratch_directory() / (".macareu-" + name + ".objects"));
  const auto labels = described.path() / "labels.npy";
  std::unique_ptr<image_sink> label_sink;
  for (std::size_t o = 0; o < outputs.size(); ++o) {
    if (outputs[o]) sinks.push_back(sink_for(o, output_form(about_, o, from, values)));
    to.push_back(outputs[o] ? sinks.back().get() : nullptr);
  }
  if (describes) {
    described.create(name);
    label_sink = create_sink(labels, output_form(about_, 0, from, values));
    to[0] = label_sink.get();
  }
  progress_bar bar(std::string(about_.verb), running.quiet);
  auto how = running.how;
  how.stop = signals.token();
  how.report = &record_.run;
  auto options = running.pieces;
  options.progress = bar.piece_callback();
  options.scratch = scratch_directory();
  options.report = &record_.pieces.emplace();
  options.name = name;
  table measured;
  output_files texts;
  try {
    translate_usage_errors(about_, spelling::of_verb, [&] {
      if (gives_shapes()) {
        shapes.open();
        compute_shapes_in_pieces(
            about_, from, [&](const shape& one) { shapes.add(one); }, values, how, options);
      } else if (gives_table()) {
        measured = compute_table_in_pieces(about_, from, values, how, options);
      } else {
        macareu::run_in_pieces(about_, from, to, values, how, options);
      }
    });
  } catch (const interrupted&) {
    if (!outputs.empty() && !running.quiet)
      std::fprintf(stderr, "%s: what is done is kept; the same command with --resume continues\n",
                   std::string(about_.verb).c_str());
    throw;
  }
  if (describes) {
    label_sink->commit();
    describe_in_pieces(labels, *sinks[0], how, options, texts);
  }
  record_.compute_seconds = record_.run.compute_seconds;
  if (gives_table()) tables.add_to(texts, measured);
  if (!running.report_file.empty()) texts.add_text(running.report_file, to_json(record_));
  signals.check();
  for (const auto& sink : sinks) sink->commit();
  if (gives_shapes()) shapes.commit();
  texts.commit();
  if (gives_table()) tables.print(measured);
  tell_note(about_.verb, record_, running);
  return exit_code::done;
}

}  // namespace macareu::tool
