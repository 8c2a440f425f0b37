#include "catalogue/device_choice.hpp"

#include <algorithm>
#include <atomic>
#include <optional>
#include <string_view>

#include "catalogue/cuda_module.hpp"
#include "catalogue/gpu_start_up.hpp"
#include "catalogue/tuning.hpp"
#include "engines/cuda/runtime/presence.hpp"
#include "patterns/component.hpp"

namespace macareu {
namespace {

constexpr std::string_view cuda_name = "cuda";

constexpr int no_gpu = -1;
std::atomic<int> preferred_gpu = no_gpu;

/// Images of the call in device or managed memory.
struct gpu_images {
  std::optional<error_part> first;  // the first image in device memory
  int gpu = 0;                      // that holds it
  bool any = false;                 // in device or managed memory
  bool all = true;
  bool host_can_read = false;  // at least one image
};

void add_image(gpu_images& found, const const_image_view& image, error_part::role role,
               std::string_view name) {
  const auto place = cuda::place_of(image.data());
  const bool device = place.kind == cuda::memory_kind::device;
  const bool usable = device || place.kind == cuda::memory_kind::managed;
  found.any = found.any || usable;
  found.all = found.all && usable;
  found.host_can_read = found.host_can_read || !device;
  if (!device) return;
  if (found.first && found.gpu != place.gpu)
    throw call_error(
        {.kind = fault::memory,
         .parts = {"image ",
                   *found.first,
                   " is in the memory of GPU " + std::to_string(found.gpu) + ", but ",
                   {role, name},
                   " in that of GPU " + std::to_string(place.gpu) + ": all must be on one GPU"}});
  if (!found.first) {
    found.first.emplace(role, name);
    found.gpu = place.gpu;
  }
}

gpu_images find_gpu_images(const operator_description& about, std::span<const const_image_view> inputs,
                           std::span<const image_view> outputs) {
  gpu_images found;
  for (std::size_t i = 0; i < inputs.size(); ++i)
    add_image(found, inputs[i], error_part::role::input, about.inputs[i].name);
  for (std::size_t o = 0; o < outputs.size(); ++o)
    if (outputs[o].data()) add_image(found, outputs[o], error_part::role::output, about.outputs[o].name);
  return found;
}

const entry* find_entry(const operator_description& about, std::string_view engine) {
  if (engine == cuda_name) gpus_of_machine();  // the first use of the engine
  const auto all = engine == cuda_name ? cuda::entries() : entries();
  const auto found = std::ranges::find_if(
      all, [&](const entry& e) { return e.about->name == about.name && e.engine == engine; });
  return found == all.end() ? nullptr : &*found;
}

bool knows_strategy(const entry& candidate, const context& how) {
  const auto names = candidate.strategies(candidate.about->pattern);
  return how.strategy == "auto" || std::ranges::find(names, how.strategy) != names.end();
}

void check_strategy(const entry& chosen, const context& how) {
  if (knows_strategy(chosen, how)) return;
  std::string known = "auto";
  for (const auto name : chosen.strategies(chosen.about->pattern)) known += ", " + std::string(name);
  throw call_error(
      {.kind = fault::unknown,
       .parts = {"strategy '" + how.strategy + "' is unknown for " + std::string(chosen.about->name) +
                 " on " + std::string(chosen.engine) + "; it has " + known +
                 did_you_mean(how.strategy, chosen.strategies(chosen.about->pattern))},
       .given = how.strategy,
       .allowed = known});
}

bool gpu_pays(std::int64_t pixels) { return pixels >= tuning::pixels_worth_a_gpu; }

/// Of the channels that run at once.
template <class View>
std::int64_t bytes_of(const View& image, const operator_description& about) {
  const auto channels = about.takes_colour ? image.channels() : 1;
  return image.shape().pixels() * channels * static_cast<std::int64_t>(size_of(image.type()));
}

/// The images of a call may exceed the GPU, or what the call may use of it.
bool exceeds(std::span<const const_image_view> inputs, std::span<const image_view> outputs, int gpu,
             const context& how, const operator_description& about) {
  const auto& shape = inputs[0].shape();
  if (about.most_gpu_words > 0 &&
      words_of_rows(shape.depth(), shape.height(), shape.width()) > about.most_gpu_words)
    return true;
  std::int64_t all = 0;
  for (const auto& image : inputs) all += bytes_of(image, about);
  for (const auto& image : outputs)
    if (image.data()) all += bytes_of(image, about);
  const auto needed = tuning::memory_needed(bytes_of(inputs[0], about), all);
  if (how.gpu_memory > 0) return needed > how.gpu_memory;
  // To ask for free memory takes longer than many operators on a small image.
  if (needed <= gpus_of_machine().gpus[static_cast<std::size_t>(gpu)].memory / tuning::certain_share)
    return false;
  return needed > cuda::free_memory(gpu);
}

[[noreturn]] void refuse_unknown(const context& how) {
  if (how.device.starts_with(cuda_name))
    throw device_error("device '" + how.device + "' cannot be used: " + gpus_of_machine().problem);
  std::string known = "auto";
  for (const auto name : devices()) known += ", " + std::string(name);
  const auto message = "device '" + how.device + "' is not in this build; it has " + known +
                       (how.device == "serial" ? "; build with -DMACAREU_SERIAL=ON (make)"
                                               : did_you_mean(how.device, devices()));
  throw call_error({.kind = fault::unknown, .parts = {message}, .given = how.device, .allowed = known});
}

[[noreturn]] void refuse_several(const context& how, std::string_view what) {
  throw call_error({.kind = fault::conflict,
                    .parts = {"device '" + how.device + "': " + std::string(what) +
                              " runs on one GPU; several are for operators that work in pieces"},
                    .given = how.device});
}

void check_gpu(const context& how, int gpu) {
  const auto& here = gpus_of_machine();
  const auto asked = how.device == "auto" ? "cuda: " : "device '" + how.device + "' cannot be used: ";
  if (here.gpus.empty()) throw device_error(asked + here.problem);
  if (static_cast<std::size_t>(gpu) >= here.gpus.size())
    throw device_error(asked + "this machine has " + std::to_string(here.gpus.size()) +
                       " GPU(s), counted from 0");
  const auto& found = here.gpus[static_cast<std::size_t>(gpu)];
  if (!found.usable)
    throw device_error(asked + found.name + " has compute capability " + std::to_string(found.major) + "." +
                       std::to_string(found.minor) + ", older than this build has code for");
}

/// The named GPU, else the one that holds the images, else the preferred or current one.
int usable_gpu(const context& how, const gpu_images& there) {
  const auto named = cuda::gpus_named(how.device);
  if (how.device.starts_with(cuda_name) && how.device != cuda_name && named.empty())
    throw call_error(
        {.kind = fault::unknown,
         .parts = {"device '" + how.device + "': expected cuda or cuda:N, where N is a GPU's number"},
         .given = how.device,
         .allowed = "cuda or cuda:N"});
  if (gpus_of_machine().gpus.empty()) check_gpu(how, 0);
  for (const int gpu : named) check_gpu(how, gpu);
  const int preferred = preferred_gpu;
  const int gpu = !named.empty()        ? named[0]
                  : there.first         ? there.gpu
                  : preferred != no_gpu ? preferred
                                        : cuda::current_gpu();
  check_gpu(how, gpu);
  return gpu;
}

/// "MASK is in the memory of ..."
call_error misplaced(const operator_description& about, const gpu_images& there, const std::string& of,
                     const context& how) {
  return call_error({.kind = fault::memory,
                     .operation = std::string(about.name),
                     .parts = {*there.first, " is in the memory of " + of},
                     .given = how.device});
}

device_choice choose_gpu(const operator_description& about, const gpu_images& there, const context& how) {
  const auto* const chosen = find_entry(about, cuda_name);
  if (!chosen && how.device == "auto")
    throw device_error((there.first ? there.first->text + " is in the memory of a GPU: " : "cuda: ") +
                       gpus_of_machine().problem);
  if (!chosen) refuse_unknown(how);
  const auto named = cuda::gpus_named(how.device);
  if (named.size() > 1 && !chosen->works_in_pieces) refuse_several(how, about.name);
  const int gpu = usable_gpu(how, there);
  if (named.size() > 1) {
    // Pieces are copied between the caller's images and each GPU by the host.
    if (there.first) throw misplaced(about, there, "a GPU: several GPUs need images in host memory", how);
    return {chosen, how.device};
  }
  if (there.first && there.gpu != gpu)
    throw misplaced(about, there, "GPU " + std::to_string(there.gpu) + ", not of device '" + how.device + "'",
                    how);
  return {chosen, "cuda:" + std::to_string(gpu)};
}

/// For images that the host can read.
device_choice choose_automatically(const operator_description& about, const gpu_images& there,
                                   std::span<const const_image_view> inputs,
                                   std::span<const image_view> outputs, const context& how) {
  const auto& host = *find_entry(about, "cpu");
  device_choice on_host{&host, std::string(host.engine)};
  if (!gpu_pays(inputs[0].shape().pixels()) || !cuda::is_built()) return on_host;
  try {
    auto on_gpu = choose_gpu(about, there, how);
    if (exceeds(inputs, outputs, *cuda::gpu_named(on_gpu.device), how, about))
      throw device_error(on_gpu.device + ": its free memory is too small for the image");
    // In managed memory the GPU writes the caller's images directly, so there is no fallback.
    if (!there.any && knows_strategy(host, how)) on_gpu.instead = &host;
    return on_gpu;
  } catch (const device_error& failure) {
    on_host.note = computed_elsewhere(failure, host);
    return on_host;
  }
}

device_choice choose(const operator_description& about, const gpu_images& there,
                     std::span<const const_image_view> inputs, std::span<const image_view> outputs,
                     const context& how) {
  const bool automatic = how.device == "auto";
  if (how.device.starts_with(cuda_name) || (automatic && there.first)) return choose_gpu(about, there, how);
  if (automatic) return choose_automatically(about, there, inputs, outputs, how);
  const auto* const host = find_entry(about, how.device);
  if (!host) refuse_unknown(how);
  if (there.first)
    throw misplaced(about, there,
                    "a GPU, which device '" + how.device + "' cannot read: use cuda, or copy the image", how);
  return {host, how.device};
}

}  // namespace

bool can_run_here(std::string_view engine) {
  return engine != cuda_name || std::ranges::any_of(gpus_of_machine().gpus, &gpu_description::usable);
}

void prefer_gpu(int gpu) { preferred_gpu = gpu; }

bool auto_tries_gpu(std::int64_t pixels) { return gpu_pays(pixels) && cuda::is_built(); }

int gpu_for_function(const context& how) {
  if (!cuda::is_built()) refuse_unknown(how);
  if (cuda::gpus_named(how.device).size() > 1) refuse_several(how, "a function");
  return usable_gpu(how, {});
}

std::string computed_elsewhere(const device_error& failure, const entry& instead) {
  return std::string(failure.what()) + "; computed on " + std::string(instead.engine) + " instead";
}

bool needs_pieces(const device_choice& choice, std::span<const const_image_view> inputs,
                  std::span<const image_view> outputs, const context& how) {
  if (cuda::gpus_named(choice.device).size() > 1) return true;
  const auto gpu = cuda::gpu_named(choice.device);
  // `auto` has chosen a GPU that is large enough.
  if (!gpu || !choice.images_on_host || how.device == "auto" || !choice.chosen->works_in_pieces) return false;
  return exceeds(inputs, outputs, *gpu, how, *choice.chosen->about);
}

device_choice choose_device(const operator_description& about, std::span<const const_image_view> inputs,
                            std::span<const image_view> outputs, const context& how) {
  const auto there = find_gpu_images(about, inputs, outputs);
  auto choice = choose(about, there, inputs, outputs, how);
  choice.images_on_gpu = there.all;
  choice.images_on_host = !there.any;
  choice.in_stream_order = !how.wait && !there.host_can_read;
  check_strategy(*choice.chosen, how);
  return choice;
}

}  // namespace macareu
