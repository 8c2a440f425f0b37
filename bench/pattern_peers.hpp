// What the regular patterns are measured against on a GPU: its copy, and CUB.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <macareu/image.hpp>

namespace macareu::bench {

struct pattern_peer {
  std::string name;
  std::function<void()> run;  ///< on the stream, from device memory to device memory
};

/// Of an image of u8: copy, cub-max, cub-sum, cub-histogram. Null in a build without CUDA. Throws
/// device_error.
std::shared_ptr<const std::vector<pattern_peer>> make_pattern_peers(const image& input, void* stream);

}  // namespace macareu::bench
