// Which engine runs a call, and on which GPU.
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
  std::string device;              // as the engine is told it: "cuda:1"
  bool images_on_gpu = false;      // all of them
  bool in_stream_order = false;    // results may come after the call, all in device memory
  const entry* instead = nullptr;  // under `auto`, what to run where the chosen device fails
  std::string note = {};           // for the report
};

/// Whether this machine has a device that the build has.
bool can_run_here(std::string_view engine);

/// Throws usage_error or device_error where the device that the caller asked for cannot serve: only `auto`
/// is free to take another.
device_choice choose_device(const operator_description& about, std::span<const const_image_view> inputs,
                            std::span<const image_view> outputs, const context& how);

/// Whether `auto` looks for a GPU to compute a function on images in host memory.
bool auto_tries_gpu(std::int64_t pixels);

/// The GPU of a function that was compiled while the program runs, with images in host memory. Throws as
/// choose_device does for an operator.
int gpu_for_function(const context& how);

/// One line for the report: why `auto` took this engine in the end.
std::string computed_elsewhere(const device_error& failure, const entry& instead);

}  // namespace macareu
