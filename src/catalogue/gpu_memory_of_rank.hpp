// The memory of GPUs where every rank runs operators of its own.
#pragma once

#include <cstdint>

#include <macareu/context.hpp>
#include <macareu/ranks.hpp>

namespace macareu {

/// The bytes of its GPU that each rank may use: 90 % of what is free, divided by the ranks that use the GPU.
/// 0 if the device is another, or no rank has a GPU. All ranks call it.
std::int64_t gpu_memory_of_rank(ranks& all, const context& how);

}  // namespace macareu
