// Runs of operators in pieces. Views hold sources and sinks instead of pixels (core/call.hpp).
#include <macareu/pieces.hpp>

#include <algorithm>
#include <chrono>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <macareu/error.hpp>
#include <macareu/ranks.hpp>
#include <macareu/version.hpp>

#include "catalogue/arguments.hpp"
#include "catalogue/checks.hpp"
#include "catalogue/device_choice.hpp"
#include "catalogue/device_of_pieces.hpp"
#include "catalogue/device_pool.hpp"
#include "catalogue/entry.hpp"
#include "catalogue/gpu_start_up.hpp"
#include "catalogue/results_of_ranks.hpp"
#include "catalogue/work_image.hpp"
#include "core/shapes_call.hpp"
#include "engines/cuda/runtime/presence.hpp"
#include "engines/pieces/files/split_file.hpp"
#include "engines/pieces/piece_image.hpp"
#include "engines/pieces/run.hpp"

namespace macareu {
namespace {

std::vector<image_form> forms_of(std::span<image_source* const> inputs) {
  std::vector<image_form> forms;
  for (const auto* input : inputs)
    forms.push_back(input ? image_form{input->form().type, input->form().shape, input->form().channels}
                          : image_form{.shape = extents{}});
  return forms;
}

/// What a resumed run must have in common with the first one: "name: value" lines.
std::string description_of(const operator_description& about, std::span<image_source* const> inputs,
                           std::span<image_sink* const> outputs, const arguments& values,
                           const device_choice& choice, const context& how, const piece_options& options) {
  std::string text = "operator: " + std::string(about.name) + "\nversion: " + std::string(version) +
                     "\nengine: " + std::string(choice.chosen->engine) +
                     "\nmemory: " + std::to_string(options.memory) +
                     "\ngpu memory: " + std::to_string(how.gpu_memory);
  for (const auto side : options.size) text += "\npieces: " + std::to_string(side);
  for (const auto& [name, value] : values) text += "\n" + name + ": " + to_string(value);
  for (const auto* input : inputs)
    text += "\ninput: " + (input ? std::string(name_of(input->form().type)) + " of " +
                                       to_string(input->form().shape) + ", " + input->identity()
                                 : "none");
  // Work files have the form of their outputs, and room for whole pieces.
  text += "\nwork files: of whole pieces";
  for (auto* const output : outputs) {
    const auto header = output ? output->header() : std::nullopt;
    text += "\noutput: " +
            std::string(!output   ? "not wanted"
                        : !header ? "of another form"
                                  : "with a header of ") +
            (header ? std::to_string(header->size()) + " bytes, " +
                          std::to_string(std::hash<std::string>{}(*header))
                    : "");
    const auto* const work_image = dynamic_cast<const pieces::piece_image*>(output);
    const auto chunk = work_image ? work_image->chunk_of_files()
                       : output   ? pieces::chunk_files_of(*output)
                                  : std::nullopt;
    if (chunk)
      text += ", chunks of " + std::to_string(chunk->z) + " x " + std::to_string(chunk->y) + " x " +
              std::to_string(chunk->x);
  }
  return text + "\n";
}

/// Pixels of a pipe may be others now, and nothing tells.
void require_identities(const operator_description& about, std::span<image_source* const> inputs) {
  for (std::size_t i = 0; i < inputs.size(); ++i)
    if (inputs[i] && inputs[i]->identity().empty())
      throw unresumable_error(
          std::string(about.inputs[i].name) +
          " cannot be compared with that of the unfinished run, as it is a pipe or has no identity");
}

/// Runs the operator without pixels, and throws usage_error if one of its passes needs more than the limit.
void require_memory(const shapes_call& call, function_ref<void(const macareu::call&)> run,
                    const pieces::run& planned, const piece_options& options) {
  if (!planned.is_limited()) return;
  auto how = call.work.how;
  how.progress = nullptr;
  std::int64_t least = 0;
  for (const bool answer : {false, true}) {
    job work{how, {}};
    pieces::run planning(work, {.memory = options.memory}, "");
    planning.plans = true;
    planning.plans_for_ranks = planned.is_shared();
    planning.planned_answer = answer;
    planning.gpu_memory = planned.gpu_memory;
    work.pieces = &planning;
    table unused;
    const take_shape drop = [](const shape&) {};
    const shapes_call without_pixels{
        {call.about, call.inputs, call.outputs, call.values, work, call.result ? &unused : nullptr},
        call.take ? &drop : nullptr};
    try {
      run(without_pixels);
    } catch (const usage_error&) {
      // Zeros may not be what the operator takes. Passes after them are checked when they begin.
    }
    least = std::max(least, planning.least);
  }
  planned.require_limit(least);
}

/// Runs the operator. In memory its checks come one after the other. Here those of NaN are made while inputs
/// are read, so another error may be found before one that counts.
void run_with_checks(const macareu::call& call, function_ref<void(const macareu::call&)> run,
                     const pieces::run& pieces) {
  try {
    run(call);
  } catch (const call_error&) {
    for (const auto& check : pieces.deferred_checks) check();
    throw;
  }
}

/// Host memory for what an operator keeps of shapes beside blocks; polygons that wait may take as much again.
/// A low limit is for pixels alone, and ranks do not know what others of a machine keep.
std::int64_t spare_bytes(const pieces::run& of, const piece_options& options, const extents& shape) {
  const auto limit = options.memory > 0 ? options.memory : default_memory();
  if (of.is_shared() || (of.is_limited() && limit < pieces::tuning::low_memory)) return 0;
  return std::min(limit / pieces::tuning::share_of_shapes, shape.pixels());
}

void run_pieces_of_rank(const operator_description& about, std::span<image_source* const> inputs,
                        std::span<image_sink* const> outputs, const arguments& given, const context& how,
                        const piece_options& options, table* result, const take_shape* take,
                        const take_table* take_rows) {
  validate(about, forms_of(inputs), given, how);
  arguments room;
  const auto& values = complete_arguments(about, given, room);
  const auto& first = inputs[0]->form();
  std::vector<const_image_view> from, unplaced;
  for (auto* const input : inputs) {
    if (!input) {
      from.push_back(no_image);
      unplaced.push_back(no_image);
      continue;
    }
    const auto& form = input->form();
    from.emplace_back(input, form.type, form.shape, strides{}, form.channels, 0);
    unplaced.emplace_back(nullptr, form.type, form.shape, strides{}, form.channels, 0);
  }
  std::vector<image_view> to;
  for (std::size_t o = 0; o < outputs.size(); ++o)
    to.emplace_back(outputs[o], type_of(about.outputs[o], first.type, first.shape, values),
                    shape_of(about.outputs[o], first.shape, values), strides{},
                    channels_of(about.outputs[o], first.channels, values), 0);
  auto told = how;
  const auto choice = agreed_device(about, unplaced, how, options);
  told.device = choice.device;
  job work{told, {}};
  const auto run = choice.chosen->code_for({about, from, to, values, work}, true);
  const auto gpu = cuda::gpu_named(choice.device);
  if (gpu) start_gpu(*gpu);
  if (options.resume) require_identities(about, inputs);
  told.gpu_memory = agreed_gpu_memory(choice, how, options);
  work.take_rows = take_rows;
  work.report.note = choice.note;
  pieces::run pieces(work, options, description_of(about, inputs, outputs, values, choice, how, options));
  work.pieces = &pieces;
  const auto spare = take ? spare_bytes(pieces, options, first.shape) : 0;
  if (pieces.is_limited()) pieces.held += 2 * spare;
  const shapes_call call{{about, from, to, values, work, result}, take, spare};
  if (call.has(parameter_kind::connectivity)) call.near();
  if (about.check && first.shape.pixels() > 0) about.check(call);
  const auto begin = std::chrono::steady_clock::now();
  piece_report report;
  const auto compute = [&] {
    if (!pieces.resumes() && first.shape.pixels() > 0) require_memory(call, run, pieces, options);
    if (first.shape.pixels() > 0) run_with_checks(call, run, pieces);
    pieces.files.wait();
    report = pieces.report;
    report.bytes_read = pieces.bytes_read;
    report.bytes_written = pieces.bytes_written;
    report.scratch_read = pieces.scratch_read;
    report.scratch_written = pieces.scratch_written;
    add_ranks(options, report);
    if (result && options.shared_by) finish_table(options, pieces, *result, work.report);
    pieces.end();
  };
  try {
    try {
      compute();
    } catch (...) {
      // Before the folder is removed that they use.
      if (options.shared_by) options.shared_by->fail(std::current_exception());
      throw;
    }
  } catch (const interrupted&) {
    throw;  // to be resumed
  } catch (const io_error& error) {
    if (options.name.empty() && options.folder.empty()) throw;
    throw unfinished_error(error);
  } catch (const usage_error&) {
    if (!pieces.resumes()) pieces.forget();  // it would be refused again
    throw;
  }
  if (how.progress) how.progress(1);
  if (how.report) {
    *how.report = work.report;
    if (gpu) how.report->gpu_start_up = gpu_start_up();
    how.report->device = how.device == "auto" ? std::string(choice.chosen->engine) : how.device;
    how.report->compute_seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  }
  if (options.report) *options.report = report;
}

/// Each device computes some of the pieces. The first one reports, and has the table and the shapes.
void run_on_pool(const std::vector<std::string>& devices, const operator_description& about,
                 std::span<image_source* const> inputs, std::span<image_sink* const> outputs,
                 const arguments& given, const context& how, const piece_options& options, table* result,
                 const take_shape* take) {
  if (options.shared_by)
    throw call_error(
        {.kind = fault::conflict,
         .parts = {"device '" + how.device + "': each process of a run takes one GPU; name none, or one"},
         .given = how.device});
  validate(about, forms_of(inputs), given, how);
  std::vector<std::unique_ptr<guarded_source>> sources;
  std::vector<image_source*> from;
  for (auto* const input : inputs)
    from.push_back(input ? sources.emplace_back(std::make_unique<guarded_source>(*input)).get() : nullptr);
  std::vector<std::unique_ptr<guarded_sink>> sinks;
  std::vector<image_sink*> to;
  for (auto* const output : outputs) {
    const bool is_written = output && !dynamic_cast<pieces::piece_image*>(output);
    to.push_back(is_written ? sinks.emplace_back(std::make_unique<guarded_sink>(*output)).get() : output);
  }
  // A GPU that is named several times divides what it may use.
  std::ptrdiff_t sharing = 1;
  for (const auto& device : devices) sharing = std::max(sharing, std::ranges::count(devices, device));
  for (const auto& device : devices) start_gpu(*cuda::gpu_named(device));  // before others take memory
  on_threads(devices, [&](ranks& own) {
    auto told = how;
    auto own_options = options;
    table own_rows;
    const take_shape drop = [](const shape&) {};
    told.device = devices[static_cast<std::size_t>(own.rank())];
    told.stream = nullptr;
    told.gpu_memory = how.gpu_memory / sharing;
    own_options.memory = options.memory / std::ssize(devices);
    own_options.shared_by = &own;
    own_options.own_rows = false;
    if (!own.is_first()) {
      told.progress = nullptr;
      told.report = nullptr;
      own_options.report = nullptr;
    }
    run_pieces_of_rank(about, from, to, given, told, own_options,
                       result && !own.is_first() ? &own_rows : result, take && !own.is_first() ? &drop : take,
                       nullptr);
  });
  if (how.report) how.report->device = how.device;
}

void run_pieces(const operator_description& about, std::span<image_source* const> inputs,
                std::span<image_sink* const> outputs, const arguments& given, const context& how,
                const piece_options& options, table* result, const take_shape* take = nullptr,
                const take_table* take_rows = nullptr) {
  try {
    if (const auto devices = devices_of_pool(how); !devices.empty())
      return run_on_pool(devices, about, inputs, outputs, given, how, options, result, take);
    run_pieces_of_rank(about, inputs, outputs, given, how, options, result, take, take_rows);
  } catch (...) {
    if (options.shared_by) options.shared_by->fail(std::current_exception());
    throw;
  }
}

}  // namespace

void run_in_pieces(const operator_description& about, std::span<image_source* const> inputs,
                   std::span<image_sink* const> outputs, const arguments& given, const context& how,
                   const piece_options& options) {
  check_gives(about, result_kind::images);
  run_pieces(about, inputs, outputs, given, how, options, nullptr);
}

table compute_table_in_pieces(const operator_description& about, std::span<image_source* const> inputs,
                              const arguments& given, const context& how, const piece_options& options) {
  check_gives(about, result_kind::table);
  table result;
  run_pieces(about, inputs, {}, given, how, options, &result);
  return result;
}

void compute_table_in_parts(const operator_description& about, std::span<image_source* const> inputs,
                            const take_table& take, const arguments& given, const context& how,
                            const piece_options& options) {
  check_gives(about, result_kind::table);
  table result;
  bool has_taken = false;
  const take_table take_rows = [&](const table& rows) {
    has_taken = true;
    take(rows);
  };
  // Ranks that get all rows gather them as one table.
  const bool in_parts = options.shared_by ? options.own_rows : devices_of_pool(how).empty();
  run_pieces(about, inputs, {}, given, how, options, &result, nullptr, in_parts ? &take_rows : nullptr);
  if (!has_taken) take(result);  // of ranks, of an operator that has few rows, or of no pixels
}

void compute_shapes_in_pieces(const operator_description& about, std::span<image_source* const> inputs,
                              const take_shape& take, const arguments& given, const context& how,
                              const piece_options& options) {
  check_gives(about, result_kind::shapes);
  run_pieces(about, inputs, {}, given, how, options, nullptr, &take);
}

work_image make_work_image(const source_form& form, const image_sink* becomes) {
  const auto made =
      std::make_shared<pieces::piece_image>(form, becomes ? pieces::chunk_files_of(*becomes) : std::nullopt);
  return {made, made};
}

bool link_work_image(image_source& work_image, image_sink& to, ranks* shared_by, const context& how) {
  const auto* const image = dynamic_cast<const pieces::piece_image*>(&work_image);
  const auto* const files = image ? image->adopted() : nullptr;
  if (!files || files->grid().size() != pieces::chunk_files_of(to)) return false;
  files->become_chunks(to, shared_by, [&] {
    if (how.stop.stop_requested()) throw interrupted();
  });
  return true;
}

source_form output_form(const operator_description& about, std::size_t output,
                        std::span<image_source* const> inputs, const arguments& given) {
  const auto& first = inputs[0]->form();
  auto info = first.info;
  if (info.spacing) {
    const auto scale = output_scale(about, output, first.shape, given);
    for (std::size_t axis = 0; axis < 3; ++axis) (*info.spacing)[axis] *= scale[axis];
  }
  return {output_type(about, output, first.type, first.shape, given),
          output_shape(about, output, first.shape, given),
          output_channels(about, output, first.channels, given), info};
}

}  // namespace macareu
