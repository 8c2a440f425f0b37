#include "cuda_run.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <sstream>

#include <macareu/error.hpp>

#include "cache.hpp"
#include "catalogue/device_choice.hpp"
#include "core/ceil_div.hpp"
#include "engines/cuda/runtime/function.hpp"
#include "engines/cuda/runtime/presence.hpp"
#include "nvrtc.hpp"

namespace macareu::converter {
namespace {

/// The parameter struct as C lays it out: members at multiples of their size.
std::vector<std::byte> laid_out(const call& given) {
  std::vector<std::byte> bytes;
  std::size_t widest = 1;
  const auto align = [&](std::size_t size) { bytes.resize(ceil_div(bytes.size(), size) * size); };
  for (std::size_t k = 0; k < given.values.size(); ++k) {
    const auto type = given.about.parameters[k].type;
    const auto size = size_of(type);
    align(size);
    widest = std::max(widest, size);
    const auto at = bytes.size();
    bytes.resize(at + size);
    const auto& value = given.values[k];
    const auto single = static_cast<float>(type == dtype::f32 ? value.real : 0);
    // Machines with GPUs are little-endian: an integer's low bytes come first.
    const void* from = type == dtype::f32 ? static_cast<const void*>(&single) : &value;
    std::memcpy(bytes.data() + at, from, size);
  }
  align(widest);
  if (bytes.empty()) bytes.resize(1);
  return bytes;
}

// Launch rules, shared with generated programs.
namespace rule {
#include "templates/iwpp_steps.hpp"
#include "templates/r2s_order.hpp"
#include "templates/rule_common.hpp"
}  // namespace rule
#include "templates/iwpp_launch.hpp"
#include "templates/n2p_launch.hpp"
#include "templates/r2v_launch.hpp"

rule::extent extent_of(const call& given) {
  const auto& shape = given.shape();
  return {shape.depth(), shape.height(), shape.width()};
}

/// Size of one of the two buffers for partial results of a reduction.
std::int64_t parts_size(const call& given) {
  return ceil_div(given.shape().pixels(), rule::chunk) * static_cast<std::int64_t>(result_size(given));
}

/// One run: the images on the GPU, and the steps of each pattern as in generated programs.
class gpu_call {
 public:
  /// Allocates all memory before the first copy, so that it fails early if memory is short.
  gpu_call(const call& given, cuda::loaded_function& engine)
      : given_(given),
        engine_(engine),
        parameters_(laid_out(given)),
        size_(extent_of(given)),
        count_(given.shape().pixels()) {
    for (const auto* each : given.images)
      images_.push_back(engine.memory(static_cast<std::int64_t>(each->bytes())));
    if (given.about.kind == category::r2s)
      for (auto& each : parts_) each = engine.memory(parts_size(given));
    else if (given.about.kind == category::iwpp)
      take_queue();
    else
      result_ = engine.memory(static_cast<std::int64_t>(result_size(given)));
    for (std::size_t k = 0; k < images_.size(); ++k) engine.bring(*given.images[k], images_[k]);
  }

  void compute() {
    switch (given_.about.kind) {
      case category::p2p:
        p2p();
        break;
      case category::n2p:
        n2p();
        break;
      case category::r2s:
        r2s();
        break;
      case category::r2v:
        r2v();
        break;
      case category::iwpp:
        iwpp();
        break;
    }
    engine_.wait();
  }

  void download(result_bytes& to) const {
    to.resize(result_size(given_));
    engine_.fetch(result_, to);
  }

 private:
  void p2p() {
    if (count_ == 0) return;
    const long long across = pixels_of_a_thread(given_.about).across;
    engine_.start("p2p_kernel", {{static_cast<unsigned>(ceil_div(count_, 256 * across)), 1, 1}, {256, 1, 1}},
                  {images_.data(), &result_, &count_, parameters_.data()});
  }

  void n2p() {
    if (count_ == 0) return;
    const auto [across, down, most_steps] = pixels_of_a_thread(given_.about);
    const auto& window = given_.about.window;
    auto launch = launch_of(
        size_, {across, down, across + window.back() - 1, down + window[window.size() - 2] - 1, most_steps});
    engine_.start("n2p_kernel",
                  {{launch.blocks_x, launch.blocks_y, launch.blocks_z},
                   {n2p_launch::threads_x, n2p_launch::threads_y, 1}},
                  {&images_[0], &result_, &size_, &launch.rows, &launch.blocks_around, parameters_.data()});
  }

  void r2s() {
    auto* from = images_[0];
    const char* name = "r2s_pixels";
    for (long long left = count_;;) {
      engine_.start(name, {{static_cast<unsigned>(ceil_div(left, rule::chunk)), 1, 1}, {rule::lanes, 1, 1}},
                    {&from, &parts_[0], &left, parameters_.data()});
      left = ceil_div(left, rule::chunk);
      from = parts_[0];
      std::swap(parts_[0], parts_[1]);
      name = "r2s_parts";
      if (left == 1) break;
    }
    result_ = from;
  }

  void r2v() {
    const auto bytes = static_cast<long long>(result_size(given_));
    engine_.fill(result_, 0, bytes);
    if (count_ == 0 || given_.bins == 0) return;
    int bins = given_.bins;
    auto launch = launch_of(count_, bytes);
    engine_.start("r2v_kernel", {{launch.blocks, 1, 1}, {r2v_launch::threads, 1, 1}, launch.shared_bytes},
                  {&images_[0], &count_, &result_, &bins, &launch.copies, parameters_.data()});
  }

  void take_queue() {
    const auto& about = given_.about;
    wave_ = launch_of(size_, static_cast<int>(size_of(about.pixel.type)),
                      static_cast<int>(size_of(about.capacity.type)));
    if (wave_.count > iwpp_launch::most_tiles) throw device_error("cuda: the image has too many tiles");
    queue_ = engine_.memory(wave_.queue_bytes);
    result_ = images_[0];  // the marker
  }

  void iwpp() {
    if (count_ == 0) return;
    int reach = rule::reach_of(given_.connectivity);
    auto queue = wave_.queue_in(queue_);
    cuda::loaded_function::launch launch{{wave_.blocks, 1, 1}, {iwpp_launch::threads, 1, 1}};
    engine_.start("iwpp_begin", launch, {&queue, &wave_.count});
    launch.shared_bytes = wave_.shared_bytes;
    engine_.start("iwpp_kernel", launch,
                  {&result_, &images_[1], &size_, &wave_.tiles, &reach, &queue, parameters_.data()});
  }

  const call& given_;
  cuda::loaded_function& engine_;
  std::vector<std::byte> parameters_;
  rule::extent size_;
  long long count_;
  std::vector<std::byte*> images_;
  std::byte* result_ = nullptr;
  std::array<std::byte*, 2> parts_{};  // of a reduction
  iwpp_launch wave_{};
  std::byte* queue_ = nullptr;
};

/// The compiler's first error, with the source line it refers to.
std::string log_of(void* program) {
  std::size_t size = 0;
  nvrtc().log_size(program, &size);
  std::string text(size, '\0');
  nvrtc().log(program, text.data());
  std::istringstream lines(text);
  for (std::string line, code; std::getline(lines, line);) {
    if (line.find("error") == std::string::npos) continue;
    if (std::getline(lines, code); code.starts_with("  ")) line += ", in '" + code.substr(2) + "'";
    return line;
  }
  return text.substr(0, text.find('\n'));
}

std::string compiled_now(const std::string& source, const std::string& file,
                         const std::vector<std::string>& options) {
  const auto& compiler = nvrtc();
  std::vector<const char*> list;
  for (const auto& each : options) list.push_back(each.c_str());
  void* program = nullptr;
  if (compiler.create(&program, source.c_str(), "function.cu", 0, nullptr, nullptr) != 0)
    throw device_error("NVRTC cannot be used");
  std::string code, failure;
  if (compiler.compile(program, static_cast<int>(list.size()), list.data()) != 0) {
    failure = log_of(program);
  } else {
    std::size_t size = 0;
    compiler.code_size(program, &size);
    code.resize(size);
    compiler.code(program, code.data());
  }
  compiler.destroy(&program);
  if (!failure.empty()) throw device_error("NVRTC failed on " + file + ": " + failure);
  return code;
}

}  // namespace

bool auto_tries_gpu(const call& given) { return macareu::auto_tries_gpu(given.shape().pixels()); }

std::string compiled_kernels(const description& about, const generation& how, int capability) {
  int major = 0, minor = 0;
  nvrtc().version(&major, &minor);
  // Designated initializers, {.red = 1}, are C++20 and a GNU extension before.
  const std::vector<std::string> options{"--gpu-architecture=sm_" + std::to_string(capability),
                                         major >= 12 ? "--std=c++20" : "--std=c++17", "--fmad=false",
                                         "--device-as-default-execution-space"};
  const auto source = kernel_source(about, how);
  auto content = "nvrtc " + std::to_string(major) + "." + std::to_string(minor);
  for (const auto& each : options) content += " " + each;
  const auto file =
      cached(content + "\n" + source, "function.cubin", [&](const std::filesystem::path& directory) {
        write_text(directory / "function.cubin", compiled_now(source, about.file, options));
      });
  return text_of_file(file);
}

void run_on_gpu(const call& given, const context& how, result_bytes& result) {
  const int number = gpu_for_function(how);
  const auto& found = cuda::gpus_here().gpus[static_cast<std::size_t>(number)];
  const auto code = compiled_kernels(given.about, given.how, 10 * found.major + found.minor);
  auto told = how;
  told.device = "cuda:" + std::to_string(number);
  job work{told, {}};
  const auto engine = cuda::load_function(work, code);
  gpu_call steps(given, *engine);
  steps.compute();
  steps.download(result);
}

}  // namespace macareu::converter
