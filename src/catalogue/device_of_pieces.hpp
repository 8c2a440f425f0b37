// The device of a run in pieces, on which all of its ranks agree.
#pragma once

#include <cstdint>
#include <span>

#include <macareu/catalogue.hpp>
#include <macareu/context.hpp>
#include <macareu/pieces.hpp>

#include "catalogue/device_choice.hpp"

namespace macareu {

/// Ranks compute on one engine: `auto` takes the cpu on all of them if one has no GPU.
device_choice agreed_device(const operator_description& about, std::span<const const_image_view> inputs,
                            const context& how, const piece_options& options);

/// The least of all ranks, which cut the image alike. Ranks with one GPU share what is free. 0 on the host.
std::int64_t agreed_gpu_memory(const device_choice& choice, const context& how, const piece_options& options);

}  // namespace macareu
