#include "running/operator_run.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <new>
#include <utility>

#include <macareu/error.hpp>

#include "catalogue/arguments.hpp"
#include "command/outputs.hpp"
#include "command/progress_bar.hpp"
#include "command/text.hpp"
#include "command/verb.hpp"
#include "running/timing.hpp"
#include "running/usage_errors.hpp"
#include "tuning.hpp"

namespace macareu::tool {

void operator_run::check_before_reading() const {
  std::vector<std::string> files;
  for (const auto& file : outputs) {
    if (!file) continue;
    check_image_output(*file);
    files.push_back(*file);
  }
  std::vector<std::string> beside = tables.check();
  for (const auto& file : shapes.check()) beside.push_back(file);
  if (!running.report_file.empty()) {
    check_text_output(running.report_file);
    beside.push_back(running.report_file);
  }
  for (const auto& file : objects.check_before_reading(false)) beside.push_back(file);
  files.insert(files.end(), beside.begin(), beside.end());
  check_distinct(files);
  auto all_inputs = input_files();
  if (!objects.intensity_file.empty()) all_inputs.push_back(objects.intensity_file);
  reading.check(all_inputs);
  check_no_input(beside, all_inputs);
  std::vector<image_form> forms(given.size());
  for (std::size_t i = 0; i < given.size(); ++i)
    if (!given[i]) forms[i].shape = extents{};
  check_call(forms);
}

void operator_run::cut_into_blocks() {
  const auto named = std::ranges::find_if(about_.parameters, &parameter_description::is_block);
  if (named == about_.parameters.end() || !values.contains(std::string(named->name))) return;
  if (running.pieces.size != std::array<std::int64_t, 3>{})
    throw usage_error(option_name(named->name) + " and --pieces both cut the image; give one of them");
  // Blocks do not change the result, and what is repeated stays in memory.
  if (!works_in_pieces(about_, running.how.device) || running.repeat > 1) return;
  if (const auto wanted = wanted_pieces(about_, values)) running.pieces.size = *wanted;
}

std::vector<std::string> operator_run::input_files() const {
  std::vector<std::string> files;
  for (const auto& file : given)
    if (file) files.push_back(*file);
  return files;
}

bool operator_run::may_have_colour(std::size_t input) const {
  return about_.takes_colour ? input == 0 : about_.each_channel && !about_.inputs[input].own_form;
}

void operator_run::check_call(const std::vector<image_form>& forms) const {
  translate_usage_errors(about_, spelling::of_verb, [&] { validate(about_, forms, values, running.how); });
}

void operator_run::check_output_fits(const std::filesystem::path& file, std::size_t output,
                                     const const_image_view& first) const {
  check_image_fits(file, output_type(about_, output, first.type(), first.shape(), values),
                   output_shape(about_, output, first.shape(), values),
                   output_channels(about_, output, first.channels(), values));
}

void operator_run::name_kept_outputs(const const_image_view& first) {
  if (std::ranges::find(kept, true) == kept.end()) return;
  const std::filesystem::path beside(*outputs[0]);
  const auto holds = [&](const std::filesystem::path& file, std::size_t output) {
    try {
      check_output_fits(file, output, first);
      return true;
    } catch (const usage_error&) {
      return false;
    }
  };
  std::vector<std::string> files;
  if (!running.report_file.empty()) files.push_back(running.report_file);
  for (std::size_t o = 0; o < outputs.size(); ++o) {
    if (kept[o] && !outputs[o]) {
      auto file = beside;
      file.replace_filename(beside.stem().string() + "-" + dashed(about_.outputs[o].name) +
                            beside.extension().string());
      if (!holds(file, o)) file.replace_extension(".tif");
      if (!holds(file, o)) file.replace_extension(".npy");
      check_image_output(file);
      // The user did not choose this name, so it must not overwrite an input.
      for (const auto& input : input_files())
        if (same_file(file, input))
          throw usage_error("--keep would write over " + input + ": name another file by " +
                            option_name(about_.outputs[o].name));
      outputs[o] = file.string();
    }
    if (outputs[o]) files.push_back(*outputs[o]);
  }
  check_distinct(files);
}

std::vector<image_file> operator_run::read_inputs() {
  const stopwatch watch;
  std::vector<image_file> files;
  for (std::size_t i = 0; i < given.size(); ++i)
    files.push_back(!given[i]            ? image_file{}
                    : may_have_colour(i) ? reading.read_grey_or_colour(*given[i])
                                         : reading.read_grey(*given[i]));
  intensity_ = objects.read_intensity(reading);
  record_.read_seconds = watch.seconds();
  return files;
}

operator_run::results operator_run::compute(const std::vector<image_file>& files, interruption& signals) {
  std::vector<const_image_view> views;
  std::ranges::transform(files, std::back_inserter(views), &image_file::pixels);
  progress_bar bar(std::string(about_.verb), running.quiet);
  auto how = running.how;
  how.stop = signals.token();
  how.report = &record_.run;
  repetition times;
  if (const auto show = bar.callback())
    how.progress = [&, show](double fraction) {
      show((static_cast<double>(times.done()) + fraction) / running.repeat);
    };
  results all;
  all.images.resize(outputs.size());
  for (std::size_t o = 0; o < outputs.size(); ++o)
    if (outputs[o])
      all.images[o] = image(output_type(about_, o, record_.type, record_.shape, values),
                            output_shape(about_, o, record_.shape, values),
                            output_channels(about_, o, views[0].channels(), values));
  const std::vector<image_view> room(all.images.begin(), all.images.end());
  while (std::cmp_less(times.done(), running.repeat)) {
    if (gives_shapes()) {
      // A pipe takes one text: that of the last time.
      const bool writes = std::cmp_equal(times.done() + 1, running.repeat);
      if (writes) shapes.open(shapes.file());
      compute_shapes(
          about_, views,
          [&](const shape& one) {
            if (writes) shapes.add(one);
          },
          values, how);
    } else if (gives_table()) {
      all.measured = compute_table(about_, views, values, how);
    } else {
      run_operator(about_, views, room, values, how);
    }
    times.add(record_.run);
  }
  times.tell(record_);
  return all;
}

void operator_run::describe_objects(std::vector<image>& labels, const interruption& signals) {
  const stopwatch watch;
  // On the device that computed the labels: `auto` might choose another.
  context how{.device = record_.run.device,
              .threads = running.how.threads,
              .gpu_memory = running.how.gpu_memory,
              .stop = signals.token()};
  const auto describe = [&] {
    if (objects.drops_objects()) {
      run_report selection;
      auto counting = how;
      counting.report = &selection;
      labels[0] = objects.selected(labels[0], intensity_, counting);
      record_.run.count = selection.count;
    }
    if (objects.wanted()) measured_ = objects.measure(labels[0], intensity_, how);
  };
  // Labels from several GPUs, or too large for one, are in host memory: they are described on the cpu.
  const bool on_gpu = how.device.starts_with("cuda");
  const bool in_pieces = running.how.gpu_memory > 0 || how.device.find(',') != std::string::npos;
  if (on_gpu && in_pieces) how.device = "cpu";
  try {
    describe();
  } catch (const device_error&) {
    if (!on_gpu || in_pieces) throw;
    how.device = "cpu";
    describe();
  }
  record_.compute_seconds += watch.seconds();
}

void operator_run::write_outputs(const results& computed, const image_file& first,
                                 const interruption& signals) {
  const stopwatch watch;
  output_files all;
  std::vector<std::unique_ptr<image_sink>> pyramids;
  for (std::size_t o = 0; o < computed.images.size(); ++o) {
    const auto& pixels = computed.images[o];
    auto info = first.info;
    if (outputs[o] && info.spacing) {
      const auto scale = output_scale(about_, o, record_.shape, values);
      for (std::size_t axis = 0; axis < 3; ++axis) (*info.spacing)[axis] *= scale[axis];
    }
    if (outputs[o] && pyramid) {
      pyramids.push_back(sink_for(*outputs[o], {pixels.type(), pixels.shape(), pixels.channels(), info}, {}));
      pyramids.back()->write(whole_of(pixels.shape()), pixels.data());
    } else if (outputs[o]) {
      all.add(*outputs[o], pixels, info);
    }
    signals.check();
  }
  if (gives_table()) tables.add_to(all, computed.measured);
  if (objects.wanted()) objects.add(all, measured_, computed.images[0], first.pixels);
  record_.write_seconds = watch.seconds();
  if (!running.report_file.empty()) all.add_text(running.report_file, to_json(record_));
  signals.check();
  for (const auto& sink : pyramids) sink->commit();
  if (gives_shapes()) shapes.commit();
  all.commit();
  if (gives_table()) tables.print(computed.measured);
}

std::unique_ptr<image_source> operator_run::open_for_shapes() const {
  const bool on_host = running.how.device == "auto" || running.how.device == "cpu";
  if (!gives_shapes() || !on_host || running.repeat > 1) return nullptr;
  const std::filesystem::path file(*given[0]);
  const auto extension = lower(file.extension().string());
  std::error_code ignored;
  const bool has_plain_pixels = extension == ".npy" || extension == ".raw";
  if (!has_plain_pixels || !std::filesystem::is_regular_file(file, ignored)) return nullptr;
  return reading.open_grey(*given[0], scratch_directory());
}

void operator_run::compute_shapes_of(image_source& source, interruption& signals) {
  const auto& form = source.form();
  check_call({{form.type, form.shape, form.channels}});
  record_inputs(form.shape, form.type);
  const interruption::careful_section careful(signals);
  progress_bar bar(std::string(about_.verb), running.quiet);
  auto how = running.how;
  how.stop = signals.token();
  how.report = &record_.run;
  how.progress = bar.callback();
  const auto row =
      std::max<std::int64_t>(1, form.shape.width() * static_cast<std::int64_t>(size_of(form.type)));
  shapes.open(shapes.file());
  translate_usage_errors(about_, spelling::of_verb, [&] {
    compute_shapes_in_pieces(about_, std::array<image_source*, 1>{&source},
                             [&](const shape& one) { shapes.add(one); }, values, how,
                             {.memory = running.pieces.memory,
                              .size = {0, std::max<std::int64_t>(1, tuning::bytes_of_outlines / row), 0}});
  });
  record_.compute_seconds = record_.run.compute_seconds;
  write_outputs({}, {}, signals);
}

void operator_run::record_inputs(const extents& shape, dtype type) {
  record_.name = about_.name;
  record_.parameters = with_defaults(about_, values);
  record_.parameters.merge(objects.parameters());
  record_.shape = shape;
  record_.type = type;
  record_.repeat = running.repeat;
}

int operator_run::operator()(interruption& signals) {
  running.begin(signals);
  objects.use_of(about_, given, values);
  check_before_reading();
  cut_into_blocks();
  if (const auto opened = open_for_pieces()) return run_in_pieces(*opened, signals);
  if (const auto source = open_for_shapes()) {
    compute_shapes_of(*source, signals);
    tell_note(about_.verb, record_, running);
    return exit_code::done;
  }
  const auto files = read_inputs();
  const auto& first = files[0].pixels;
  std::vector<image_form> forms;
  for (std::size_t i = 0; i < files.size(); ++i)
    forms.push_back(macareu::form_of(given[i] ? files[i].pixels : no_image));
  check_call(forms);
  objects.check_inputs(first.shape(), form_of(intensity_), first.shape());
  record_inputs(first.shape(), first.type());

  const interruption::careful_section careful(signals);
  name_kept_outputs(first);
  for (std::size_t o = 0; o < outputs.size(); ++o)
    if (outputs[o]) check_output_fits(*outputs[o], o, first);
  try {
    auto computed =
        translate_usage_errors(about_, spelling::of_verb, [&] { return compute(files, signals); });
    describe_objects(computed.images, signals);
    write_outputs(computed, files[0], signals);
  } catch (const std::bad_alloc&) {
    throw device_error("not enough memory to compute on " + to_string(first.shape()) + " pixels of " +
                       std::string(name_of(first.type())));
  }
  tell_note(about_.verb, record_, running);
  tell_time(about_.verb, record_, running);
  return exit_code::done;
}

}  // namespace macareu::tool
