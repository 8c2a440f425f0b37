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

/// As in templates/rule_common.hpp.
struct extent {
  long long depth, height, width;
};

constexpr unsigned upwards(long long count, long long step) {
  return static_cast<unsigned>((count + step - 1) / step);
}

/// Images and result are there as a whole.
void check_memory(const call& given) {
  auto needed = result_size(given);
  for (const auto* each : given.images) needed += each->bytes();
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
      : given_(given), code_(code), parameters_(laid_out(given)), result_(result_size(given)) {
    const auto& shape = given.shape();
    size_ = {shape.depth(), shape.height(), shape.width()};
    count_ = shape.pixels();
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
    to.resize(result_.bytes());
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
    code_.start("p2p_kernel", {upwards(count_, 256 * across), 1, 1}, {256, 1, 1},
                {from.data(), &to, &count_, parameters_.data()});
  }

  void n2p() {
    if (count_ == 0) return;
    auto from = images_[0]->at(), to = result_.at();
    const auto [across, down, most_steps] = pixels_of_a_thread(given_.about);
    // As in templates/n2p_host.cu.
    constexpr long long most_blocks = 32768, threads_x = 32, threads_y = 4;
    const long long steps =
        static_cast<long long>(upwards(size_.width, across)) * upwards(size_.height, down) * size_.depth;
    int rows = static_cast<int>(std::max<long long>(down * std::clamp<long long>(steps >> 19, 1, most_steps),
                                                    upwards(size_.height, threads_y * most_blocks)));
    const auto& window = given_.about.window;
    const long long seen_height = down + window[window.size() - 2] - 1,
                    seen_width = across + window.back() - 1;
    const auto blocks_across = upwards(size_.width, threads_x * across);
    int blocks_around = static_cast<int>(std::min<long long>(
        upwards(size_.width * seen_height + size_.height * (seen_width + across), 512LL * blocks_across),
        most_blocks - 1));
    code_.start(
        "n2p_kernel",
        {blocks_across, static_cast<unsigned>(blocks_around) + upwards(size_.height, threads_y * rows),
         static_cast<unsigned>(std::min(size_.depth, 65535LL))},
        {threads_x, threads_y, 1}, {&from, &to, &size_, &rows, &blocks_around, parameters_.data()});
  }

  void r2s() {
    constexpr long long chunk = 4096;
    const auto bytes = size_of(given_.about.result.type);
    device_bytes first(upwards(count_, chunk) * bytes), second(first.bytes());
    auto from = images_[0]->at();
    std::array<address, 2> to{first.at(), second.at()};
    const char* name = "r2s_pixels";
    for (long long left = count_;;) {
      code_.start(name, {upwards(left, chunk), 1, 1}, {256, 1, 1},
                  {&from, &to[0], &left, parameters_.data()});
      left = upwards(left, chunk);
      from = to[0];
      std::swap(to[0], to[1]);
      name = "r2s_parts";
      if (left == 1) break;
    }
    std::array<std::byte, 8> value{};
    check(driver().download(value.data(), from, bytes), "copying from the GPU");
    check(driver().upload(result_.at(), value.data(), bytes), "copying to the GPU");
  }

  void r2v() {
    result_.clear();
    if (count_ == 0 || given_.bins == 0) return;
    auto from = images_[0]->at(), to = result_.at();
    int bins = given_.bins;
    int copies = static_cast<int>(std::min<std::size_t>(8, 32 * 1024 / result_.bytes()));
    const auto blocks = std::min(upwards(count_, 256 * 16), 2048U);
    code_.start("r2v_kernel", {blocks, 1, 1}, {256, 1, 1},
                {&from, &count_, &to, &bins, &copies, parameters_.data()},
                static_cast<unsigned>(static_cast<std::size_t>(copies) * result_.bytes()));
  }

  void iwpp();

  const call& given_;
  const kernels& code_;
  std::vector<std::byte> parameters_;
  device_bytes result_;
  std::vector<std::unique_ptr<device_bytes>> images_;
  extent size_{};
  long long count_ = 0;
};

/// As in templates/iwpp_kernels.cu and iwpp_steps.hpp.
struct tiling {
  extent size;
  int tile_z, tile_y, tile_x;
  int tiles_z, tiles_y, tiles_x;
};

struct neighbourhood {
  std::array<std::array<int, 3>, 26> steps;
  int count;
};

neighbourhood neighbours(int connectivity) {
  const int farthest = connectivity == 4 || connectivity == 6 ? 1 : connectivity == 26 ? 3 : 2;
  const bool flat = connectivity == 4 || connectivity == 8;
  neighbourhood all{};
  for (int z = flat ? 0 : -1; z <= (flat ? 0 : 1); ++z)
    for (int y = -1; y <= 1; ++y)
      for (int x = -1; x <= 1; ++x) {
        const int distance = (z != 0) + (y != 0) + (x != 0);
        if (distance > 0 && distance <= farthest)
          all.steps[static_cast<std::size_t>(all.count++)] = {z, y, x};
      }
  return all;
}

void gpu_call::iwpp() {
  if (count_ == 0) return;
  const bool flat = size_.depth == 1;
  tiling cut{size_, flat ? 1 : 4, flat ? 32 : 8, 32, 0, 0, 0};
  cut.tiles_z = static_cast<int>(upwards(size_.depth, cut.tile_z));
  cut.tiles_y = static_cast<int>(upwards(size_.height, cut.tile_y));
  cut.tiles_x = static_cast<int>(upwards(size_.width, cut.tile_x));
  const std::vector<int> all(static_cast<std::size_t>(cut.tiles_z) * static_cast<std::size_t>(cut.tiles_y) *
                                 static_cast<std::size_t>(cut.tiles_x),
                             1);
  device_bytes awake(all.size() * sizeof(int)), any(sizeof(int));
  awake.upload(all.data());
  auto state = images_[0]->at(), capacity = images_[1]->at(), awake_at = awake.at(), any_at = any.at();
  auto around = neighbours(given_.connectivity);
  for (int changed = 1; changed != 0;) {
    any.clear();
    for (int colour = 0; colour < (flat ? 4 : 8); ++colour)
      code_.start("iwpp_kernel", {upwards(cut.tiles_x, 2), upwards(cut.tiles_y, 2), upwards(cut.tiles_z, 2)},
                  {static_cast<unsigned>(cut.tile_x), static_cast<unsigned>(cut.tile_y),
                   static_cast<unsigned>(cut.tile_z)},
                  {&state, &capacity, &cut, &around, &colour, &awake_at, &any_at, parameters_.data()});
    any.download(&changed, sizeof changed);
  }
}

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

std::string log_of(void* program) {
  std::size_t size = 0;
  nvrtc().log_size(program, &size);
  std::string text(size, '\0');
  nvrtc().log(program, text.data());
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    if (line.find("error") != std::string::npos) return line;
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
  const std::vector<std::string> options{"--gpu-architecture=sm_" + std::to_string(capability), "--std=c++17",
                                         "--fmad=false", "--device-as-default-execution-space"};
  int major = 0, minor = 0;
  nvrtc().version(&major, &minor);
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
