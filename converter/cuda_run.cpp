#include "cuda_run.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <memory>
#include <sstream>

#include <macareu/error.hpp>

#include "cache.hpp"
#include "cuda_libraries.hpp"

namespace macareu::converter {
namespace {

using address = unsigned long long;

void check(int code, const char* what) {
  if (code == 0) return;
  const char* text = nullptr;
  driver().error_text(code, &text);
  throw device_error(std::string("GPU: ") + what + ": " + (text == nullptr ? "unknown error" : text));
}

class device_bytes {
 public:
  explicit device_bytes(std::size_t bytes) : bytes_(bytes) {
    check(driver().allocate(&at_, std::max<std::size_t>(bytes, 16)), "allocating memory");
  }
  ~device_bytes() { driver().free(at_); }
  device_bytes(const device_bytes&) = delete;
  device_bytes& operator=(const device_bytes&) = delete;

  void upload(const void* from) { check(driver().upload(at_, from, bytes_), "copying to the GPU"); }
  void download(void* to, std::size_t bytes) const {
    check(driver().download(to, at_, bytes), "copying from the GPU");
  }
  void clear() { check(driver().fill(at_, 0, bytes_), "clearing memory"); }
  address at() const { return at_; }
  std::size_t bytes() const { return bytes_; }

 private:
  address at_ = 0;
  std::size_t bytes_;
};

class kernels {
 public:
  explicit kernels(const std::string& code) {
    check(driver().load(&module_, code.data()), "loading the function");
  }
  ~kernels() { driver().unload(module_); }
  kernels(const kernels&) = delete;
  kernels& operator=(const kernels&) = delete;

  using size = std::array<unsigned, 3>;
  /// `arguments` point to the kernel's arguments.
  void start(const char* name, size blocks, size threads, std::initializer_list<void*> arguments,
             unsigned shared_bytes = 0) const {
    void* function = nullptr;
    check(driver().function(&function, module_, name), "finding the kernel");
    std::vector<void*> list(arguments);
    check(driver().launch(function, blocks[0], blocks[1], blocks[2], threads[0], threads[1], threads[2],
                          shared_bytes, nullptr, list.data(), nullptr),
          "starting the kernel");
  }

 private:
  void* module_ = nullptr;
};

/// The parameter struct as C lays it out: members at multiples of their size.
std::vector<std::byte> laid_out(const call& given) {
  std::vector<std::byte> bytes;
  std::size_t widest = 1;
  const auto align = [&](std::size_t size) { bytes.resize((bytes.size() + size - 1) / size * size); };
  for (std::size_t k = 0; k < given.values.size(); ++k) {
    const auto type = given.about.parameters[k].type;
    const auto size = size_of(type);
    align(size);
    widest = std::max(widest, size);
    const auto at = bytes.size();
    bytes.resize(at + size);
    const auto& value = given.values[k];
    const auto single = static_cast<float>(type == dtype::f32 ? value.real : 0);
    // Machines with GPUs are little-endian: the low bytes of a whole number come first.
    const void* from = type == dtype::f32 ? static_cast<const void*>(&single) : &value;
    std::memcpy(bytes.data() + at, from, size);
  }
  align(widest);
  if (bytes.empty()) bytes.resize(1);
  return bytes;
}

// What generated programs know of their images, and how they start their kernels.
namespace rule {
#include "templates/iwpp_steps.hpp"
#include "templates/r2s_order.hpp"
#include "templates/rule_common.hpp"
}  // namespace rule
#include "templates/iwpp_launch.hpp"
#include "templates/n2p_launch.hpp"
#include "templates/r2v_launch.hpp"

constexpr long long upwards(long long count, long long step) { return (count + step - 1) / step; }

rule::extent extent_of(const call& given) {
  const auto& shape = given.shape();
  return {shape.depth(), shape.height(), shape.width()};
}

std::size_t tiles_of(const call& given) {
  const auto cut = tiling_of(extent_of(given));
  return static_cast<std::size_t>(cut.tiles_z) * static_cast<std::size_t>(cut.tiles_y) *
         static_cast<std::size_t>(cut.tiles_x);
}

/// A wave leaves its result in the marker.
std::size_t own_result_size(const call& given) {
  return given.about.kind == category::iwpp ? 0 : result_size(given);
}

/// One of the two lists of what blocks of a reduction leave.
std::size_t parts_size(const call& given) {
  return static_cast<std::size_t>(upwards(given.shape().pixels(), rule::chunk)) *
         size_of(given.about.result.type);
}

/// Images and result are there as a whole, and what kernels need besides.
void check_memory(const call& given) {
  auto needed = own_result_size(given);
  for (const auto* each : given.images) needed += each->bytes();
  if (given.about.kind == category::r2s) needed += 2 * parts_size(given);
  if (given.about.kind == category::iwpp) needed += (tiles_of(given) + 1) * sizeof(int);
  std::size_t free = 0, all = 0;
  check(driver().memory(&free, &all), "asking for memory");
  const auto megabytes = [](std::size_t bytes) {
    return std::to_string((bytes + 999'999) / 1'000'000) + " MB";
  };
  if (needed > free)
    throw device_error("GPU: images and result take " + megabytes(needed) + ", and " + megabytes(free) +
                       " are free; use --device cpu");
}

/// One run: the images on the GPU, and the steps of each pattern as in the generated programs.
class gpu_call {
 public:
  gpu_call(const call& given, const kernels& code)
      : given_(given),
        code_(code),
        parameters_(laid_out(given)),
        result_(own_result_size(given)),
        size_(extent_of(given)),
        count_(given.shape().pixels()) {
    for (const auto* each : given.images) {
      images_.push_back(std::make_unique<device_bytes>(each->bytes()));
      images_.back()->upload(each->data());
    }
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
    check(driver().synchronise(), "running the kernel");
  }

  void download(result_bytes& to) const {
    to.resize(result_size(given_));
    const auto& from = given_.about.kind == category::iwpp ? *images_[0] : result_;
    from.download(to.data(), to.size());
  }

 private:
  void p2p() {
    if (count_ == 0) return;
    std::vector<address> from;
    for (const auto& each : images_) from.push_back(each->at());
    auto to = result_.at();
    const long long across = pixels_of_a_thread(given_.about).across;
    code_.start("p2p_kernel", {static_cast<unsigned>(upwards(count_, 256 * across)), 1, 1}, {256, 1, 1},
                {from.data(), &to, &count_, parameters_.data()});
  }

  void n2p() {
    if (count_ == 0) return;
    auto from = images_[0]->at(), to = result_.at();
    const auto [across, down, most_steps] = pixels_of_a_thread(given_.about);
    const auto& window = given_.about.window;
    auto launch = launch_of(
        size_, {across, down, across + window.back() - 1, down + window[window.size() - 2] - 1, most_steps});
    code_.start("n2p_kernel", {launch.blocks_x, launch.blocks_y, launch.blocks_z},
                {n2p_launch::threads_x, n2p_launch::threads_y, 1},
                {&from, &to, &size_, &launch.rows, &launch.blocks_around, parameters_.data()});
  }

  void r2s() {
    device_bytes first(parts_size(given_)), second(first.bytes());
    auto from = images_[0]->at();
    std::array<address, 2> to{first.at(), second.at()};
    const char* name = "r2s_pixels";
    for (long long left = count_;;) {
      code_.start(name, {static_cast<unsigned>(upwards(left, rule::chunk)), 1, 1}, {rule::lanes, 1, 1},
                  {&from, &to[0], &left, parameters_.data()});
      left = upwards(left, rule::chunk);
      from = to[0];
      std::swap(to[0], to[1]);
      name = "r2s_parts";
      if (left == 1) break;
    }
    std::array<std::byte, 8> value{};
    const auto bytes = result_.bytes();
    check(driver().download(value.data(), from, bytes), "copying from the GPU");
    check(driver().upload(result_.at(), value.data(), bytes), "copying to the GPU");
  }

  void r2v() {
    result_.clear();
    if (count_ == 0 || given_.bins == 0) return;
    auto from = images_[0]->at(), to = result_.at();
    int bins = given_.bins;
    auto launch = launch_of(count_, static_cast<long long>(result_.bytes()));
    code_.start("r2v_kernel", {launch.blocks, 1, 1}, {r2v_launch::threads, 1, 1},
                {&from, &count_, &to, &bins, &launch.copies, parameters_.data()}, launch.shared_bytes);
  }

  void iwpp() {
    if (count_ == 0) return;
    auto cut = tiling_of(size_);
    auto around = rule::neighbours(given_.connectivity);
    const std::vector<int> all(tiles_of(given_), 1);
    device_bytes awake(all.size() * sizeof(int)), any(sizeof(int));
    awake.upload(all.data());
    auto state = images_[0]->at(), capacity = images_[1]->at(), awake_at = awake.at(), any_at = any.at();
    const auto half = [](int tiles) { return static_cast<unsigned>(upwards(tiles, 2)); };
    for (int changed = 1; changed != 0;) {
      any.clear();
      for (int colour = 0; colour < (size_.depth == 1 ? 4 : 8); ++colour)
        code_.start("iwpp_kernel", {half(cut.tiles_x), half(cut.tiles_y), half(cut.tiles_z)},
                    {static_cast<unsigned>(cut.tile_x), static_cast<unsigned>(cut.tile_y),
                     static_cast<unsigned>(cut.tile_z)},
                    {&state, &capacity, &cut, &around, &colour, &awake_at, &any_at, parameters_.data()});
      any.download(&changed, sizeof changed);
    }
  }

  const call& given_;
  const kernels& code_;
  std::vector<std::byte> parameters_;
  device_bytes result_;
  rule::extent size_;
  long long count_;
  std::vector<std::unique_ptr<device_bytes>> images_;
};

int opened_gpu(int number) {
  check(driver().init(0), "starting the driver");
  int count = 0;
  check(driver().device_count(&count), "counting GPUs");
  if (number >= count)
    throw device_error("there is no GPU " + std::to_string(number) + ": " + std::to_string(count) + " found");
  int device = 0;
  check(driver().device(&device, number), "opening the GPU");
  return device;
}

int capability_of(int device) {
  constexpr int major_attribute = 75, minor_attribute = 76;
  int major = 0, minor = 0;
  check(driver().attribute(&major, major_attribute, device), "asking the GPU");
  check(driver().attribute(&minor, minor_attribute, device), "asking the GPU");
  return 10 * major + minor;
}

/// The first error, and the line of the function that it is about.
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

bool gpu_available(std::string& why) {
  try {
    opened_gpu(0);
    nvrtc();
    return true;
  } catch (const device_error& e) {
    why = e.what();
    return false;
  }
}

std::string compiled_kernels(const description& about, const generation& how, int capability) {
  int major = 0, minor = 0;
  nvrtc().version(&major, &minor);
  // {.red = 1} is C++ since 20, and C++ of GCC before.
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

gpu_times run_on_gpu(const call& given, int number, result_bytes& result) {
  using clock = std::chrono::steady_clock;
  const auto seconds = [](clock::time_point from, clock::time_point to) {
    return std::chrono::duration<double>(to - from).count();
  };
  const int device = opened_gpu(number);
  const auto code = compiled_kernels(given.about, given.how, capability_of(device));
  void* context = nullptr;
  check(driver().retain_context(&context, device), "opening the GPU");
  check(driver().set_context(context), "opening the GPU");
  check_memory(given);
  const kernels loaded(code);
  const auto start = clock::now();
  gpu_call work(given, loaded);
  check(driver().synchronise(), "copying to the GPU");
  const auto there = clock::now();
  work.compute();
  const auto done = clock::now();
  work.download(result);
  return {seconds(there, done), seconds(start, there) + seconds(done, clock::now())};
}

}  // namespace macareu::converter
