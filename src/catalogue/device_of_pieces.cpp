#include "catalogue/device_of_pieces.hpp"

#include <string>

#include <macareu/error.hpp>
#include <macareu/ranks.hpp>

#include "catalogue/gpu_start_up.hpp"
#include "engines/cuda/runtime/gpu_of_rank.hpp"
#include "engines/cuda/runtime/presence.hpp"

namespace macareu {
namespace {

device_choice cpu_instead(const operator_description& about, std::span<const const_image_view> inputs,
                          context how, const std::string& why) {
  how.device = "cpu";
  auto choice = choose_device(about, inputs, {}, how);
  choice.note = why + "; computed on cpu instead";
  return choice;
}

/// Pieces have no second try: `auto` takes a GPU that answers.
device_choice choose_for_pieces(const operator_description& about, std::span<const const_image_view> inputs,
                                const context& how) {
  auto choice = choose_device(about, inputs, {}, how);
  const auto gpu = cuda::gpu_named(choice.device);
  if (how.device != "auto" || !gpu) return choice;
  try {
    start_gpu(*gpu);
    return choice;
  } catch (const device_error& failure) {
    return cpu_instead(about, inputs, how, failure.what());
  }
}

/// 0 on the host.
std::int64_t gpu_memory_for(const device_choice& choice, const context& how) {
  const auto gpu = cuda::gpu_named(choice.device);
  if (!gpu || how.gpu_memory > 0) return gpu ? how.gpu_memory : 0;
  return cuda::free_memory(*gpu) / 10 * 9;
}

}  // namespace

device_choice agreed_device(const operator_description& about, std::span<const const_image_view> inputs,
                            const context& how, const piece_options& options) {
  auto choice = choose_for_pieces(about, inputs, how);
  if (!options.shared_by) return choice;
  auto& all = *options.shared_by;
  const bool automatic = how.device == "auto", on_gpu = cuda::gpu_named(choice.device).has_value();
  const auto without_gpu = all.least(automatic && !on_gpu ? all.rank() : all.size());
  if (!automatic || !on_gpu || without_gpu == all.size()) return choice;
  return cpu_instead(about, inputs, how,
                     "rank " + std::to_string(without_gpu) + " has no GPU that it can use");
}

std::int64_t agreed_gpu_memory(const device_choice& choice, const context& how,
                               const piece_options& options) {
  const auto own = gpu_memory_for(choice, how);
  if (!options.shared_by) return own;
  const auto gpu = cuda::gpu_named(choice.device);
  return share_of_device(*options.shared_by, own,
                         gpu && how.gpu_memory == 0 ? cuda::bus_of(*gpu) : std::string());
}

}  // namespace macareu
