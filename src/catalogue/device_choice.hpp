// Selects the engine of a call, and its GPU.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include <macareu/error.hpp>

#include "catalogue/entry.hpp"

namespace macareu {

struct device_choice {
  const entry* chosen;
  std::string device;              // passed to the engine: "cuda:1"
  bool images_on_gpu = false;      // all images of the call
  bool images_on_host = true;      // likewise
  bool in_stream_order = false;    // results may arrive after the call, all in device memory
  const entry* instead = nullptr;  // fallback of `auto` if the chosen device fails
  std::string note = {};           // for the report
};

/// Whether this machine has a device of the build.
bool can_run_here(std::string_view engine);

/// Throws usage_error or device_error if the requested device cannot run the call. Only `auto` may choose
/// another.
device_choice choose_device(const operator_description& about, std::span<const const_image_view> inputs,
                            std::span<const image_view> outputs, const context& how);

/// Whether the images of a call have to be computed in pieces: they lie in host memory, and several GPUs
/// share them, or one is too small for them.
bool needs_pieces(const device_choice& choice, std::span<const const_image_view> inputs,
                  std::span<const image_view> outputs, const context& how);

/// The GPU of calls that name none, and have no image on one, from now on. CUDA's current GPU by default.
void prefer_gpu(int gpu);

/// Whether `auto` considers a GPU for a function on images in host memory.
bool auto_tries_gpu(std::int64_t pixels);

/// The GPU of a function that is compiled at run time, with images in host memory. Throws like choose_device.
int gpu_for_function(const context& how);

/// One line for the report: why `auto` fell back to this engine.
std::string computed_elsewhere(const device_error& failure, const entry& instead);

}  // namespace macareu
