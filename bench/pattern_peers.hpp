// Peers of the regular patterns on a GPU: a device copy, and CUB.
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

/// For a u8 image: copy, cub-max, cub-sum, cub-histogram. Null in a build without CUDA. Throws device_error.
std::shared_ptr<const std::vector<pattern_peer>> make_pattern_peers(const image& input, void* stream);

}  // namespace macareu::bench
