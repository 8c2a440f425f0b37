// Runs operators on request and prints their seconds: commands come on standard input, one per line, so a
// script can take turns between programs of two versions, or between this library and another in Python.
// Uses no more of the public API than the oldest version to compare has (a3cc814).
//
//   generate NAME FAMILY SHAPE          mask into NAME, marker into NAME.marker where the family has one
//   read NAME FILE TYPE SHAPE CHANNELS  pixels alone, in C order
//   write NAME FILE
//   run OPERATOR IN,... OUT,... [PARAMETER=VALUE ...]    - for an image that is not given
//   table OPERATOR IN,... [PARAMETER=VALUE ...]
//   from_host COMMAND                   run or table, with images in the host's memory
//   contours NAME FILE                  as GeoJSON; not in versions without shapes
//   repeat COUNT COMMAND
//
// The answer is a line: the seconds of each call, or "error: ...". Outputs keep their memory between calls.
// Operators run on the cpu; with the argument cuda on a GPU, whose memory holds all images while they are
// timed.
#include <chrono>
#include <cstdint>
#include <exception>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <macareu/catalogue.hpp>
#if __has_include(<macareu/device_memory.hpp>)
#include <macareu/device_memory.hpp>
#define MACAREU_HAS_DEVICE_MEMORY 1
#endif
#include <macareu/generate.hpp>
#include <macareu/image.hpp>
#if __has_include(<macareu/shapes.hpp>)
#include <macareu/shapes.hpp>
#endif

namespace {

using namespace macareu;

std::map<std::string, image> images;
std::string device = "cpu";

#ifdef MACAREU_HAS_DEVICE_MEMORY
/// The pixels of an image in GPU memory, which stay there between calls.
struct gpu_copy {
  struct release {
    void operator()(void* data) const { device_memory::release(data); }
  };
  std::unique_ptr<void, release> data;
  bool is_newer = false;  // than the image
};

std::map<std::string, gpu_copy> copies;
#endif

void keep(const std::string& name, image of) {
  images.insert_or_assign(name, std::move(of));
#ifdef MACAREU_HAS_DEVICE_MEMORY
  copies.erase(name);
#endif
}

image& on_host(const std::string& name) {
  auto& of = images.at(name);
#ifdef MACAREU_HAS_DEVICE_MEMORY
  if (const auto copy = copies.find(name);
      copy != copies.end() && std::exchange(copy->second.is_newer, false))
    device_memory::copy_to_host(of.data(), copy->second.data.get(), of.bytes());
#endif
  return of;
}

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts;
  std::istringstream from(text);
  for (std::string part; std::getline(from, part, at);) parts.push_back(part);
  return parts;
}

extents shape_of(const std::string& text) {
  std::vector<std::int64_t> sides;
  for (const auto& side : split(text, 'x')) sides.push_back(std::stoll(side));
  return extents(sides);
}

std::streamsize bytes_of(const image& of) { return static_cast<std::streamsize>(of.bytes()); }

void generate_images(std::istream& words) {
  std::string name, family, shape;
  words >> name >> family >> shape;
  auto made = generate(family, shape_of(shape));
  keep(name, std::move(made.mask));
  if (made.marker) keep(name + ".marker", std::move(*made.marker));
}

void read_image(std::istream& words) {
  std::string name, file, type, shape;
  int channels = 1;
  words >> name >> file >> type >> shape >> channels;
  image read(dtype_named(type).value(), shape_of(shape), channels);
  std::ifstream from(file, std::ios::binary);
  if (!from.read(static_cast<char*>(read.data()), bytes_of(read)))
    throw std::runtime_error("cannot read " + file);
  keep(name, std::move(read));
}

void write_image(std::istream& words) {
  std::string name, file;
  words >> name >> file;
  const auto& of = on_host(name);
  std::ofstream to(file, std::ios::binary);
  if (!to.write(static_cast<const char*>(of.data()), bytes_of(of)))
    throw std::runtime_error("cannot write " + file);
}

/// strategy=NAME is taken by `how`.
arguments arguments_in(std::istream& words, const operator_description& about, context& how) {
  arguments given;
  for (std::string word; words >> word;) {
    const auto sign = word.find('=');
    if (word.substr(0, sign) == "strategy") how.strategy = word.substr(sign + 1);
    for (const auto& parameter : about.parameters)
      if (parameter.name == word.substr(0, sign))
        given[std::string(parameter.name)] = parse_argument(parameter, word.substr(sign + 1));
  }
  return given;
}

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

#ifdef MACAREU_HAS_DEVICE_MEMORY
image_view copied(const std::string& name) {
  const auto& of = images.at(name);
  auto& copy = copies[name];
  if (!copy.data) {
    copy.data.reset(device_memory::allocate(of.bytes()));
    device_memory::copy_to_device(copy.data.get(), of.data(), of.bytes());
  }
  const const_image_view view(of);
  return {copy.data.get(), view.type(), view.shape(), view.steps(), view.channels(), view.channel_stride()};
}

/// Without outputs, of a table.
double seconds_on_gpu(const operator_description& about, const std::vector<std::string>& in,
                      const std::vector<std::string>& out, const arguments& given, const context& how) {
  std::vector<const_image_view> inputs;
  for (const auto& one : in)
    if (one == "-")
      inputs.emplace_back(nullptr, dtype::u8, extents{}, strides{});
    else
      inputs.emplace_back(copied(one));
  std::vector<image_view> outputs;
  for (const auto& one : out) {
    outputs.push_back(copied(one));
    copies.at(one).is_newer = true;
  }
  device_memory::wait();
  const auto begin = std::chrono::steady_clock::now();
  if (out.empty())
    compute_table(about, inputs, given, how);
  else
    run_operator(about, inputs, outputs, given, how);
  return seconds_since(begin);
}
#endif

double run(std::istream& words, bool gives_table, [[maybe_unused]] bool from_host) {
  std::string name, in, out;
  words >> name >> in;
  if (!gives_table) words >> out;
  const auto* about = find_operator(name);
  if (about == nullptr) throw std::runtime_error("no operator " + name);
  context how;
  how.device = device;
  const auto given = arguments_in(words, *about, how);
#ifdef MACAREU_HAS_DEVICE_MEMORY
  const bool on_gpu = device != "cpu" && !from_host;
  if (on_gpu && gives_table) return seconds_on_gpu(*about, split(in, ','), {}, given, how);
#endif
  std::vector<const_image_view> inputs;
  for (const auto& one : split(in, ','))
    if (one == "-")  // an optional input that is not given
      inputs.emplace_back(nullptr, dtype::u8, extents{}, strides{});
    else
      inputs.emplace_back(std::as_const(on_host(one)));
  if (gives_table) {
    const auto begin = std::chrono::steady_clock::now();
    compute_table(*about, inputs, given, how);
    return seconds_since(begin);
  }
  const auto names = split(out, ',');
  if (!images.contains(names[0])) {
    auto made = run_operator(*about, inputs, given, how);
    for (std::size_t i = 0; i < names.size(); ++i) keep(names[i], std::move(made[i]));
  }
#ifdef MACAREU_HAS_DEVICE_MEMORY
  if (on_gpu) return seconds_on_gpu(*about, split(in, ','), names, given, how);
#endif
  std::vector<image_view> outputs;
  for (const auto& one : names)
    if (one == "-")
      outputs.emplace_back(nullptr, dtype::u8, extents{}, strides{});
    else
      outputs.emplace_back(on_host(one));
  const auto begin = std::chrono::steady_clock::now();
  run_operator(*about, inputs, outputs, given, how);
  return seconds_since(begin);
}

#if __has_include(<macareu/shapes.hpp>)
void write_contours(std::istream& words) {
  std::string name, file;
  words >> name >> file;
  std::ofstream to(file, std::ios::binary);
  shape_text writer(shape_format::geojson);
  std::string text;
  const auto flush = [&](std::size_t most) {
    if (text.size() < most) return;
    to << text;
    text.clear();
  };
  writer.begin(text);
  const std::vector<const_image_view> inputs{std::as_const(on_host(name))};
  const auto take = [&](const shape& one) {
    writer.add(text, one);
    flush(1 << 20);
  };
  compute_shapes(*find_operator("contours"), inputs, take, {}, {.device = "cpu"});
  writer.end(text);
  flush(0);
}
#endif

double answer(const std::string& line) {
  std::istringstream words(line);
  std::string command;
  words >> command;
  const bool from_host = command == "from_host";
  if (from_host) words >> command;
  if (command == "run" || command == "table") return run(words, command == "table", from_host);
  const auto begin = std::chrono::steady_clock::now();
  if (command == "generate")
    generate_images(words);
  else if (command == "read")
    read_image(words);
  else if (command == "write")
    write_image(words);
#if __has_include(<macareu/shapes.hpp>)
  else if (command == "contours")
    write_contours(words);
#endif
  else
    throw std::runtime_error("unknown command " + command);
  return seconds_since(begin);
}

}  // namespace

int main(int count_of_words, char** words) {
  if (count_of_words > 1) device = words[1];
  for (std::string line; std::getline(std::cin, line);) try {
      int count = 1;
      if (line.starts_with("repeat ")) {
        std::size_t digits = 0;
        count = std::stoi(line.substr(7), &digits);
        line.erase(0, 7 + digits);
      }
      std::ostringstream times;
      for (int i = 0; i < count; ++i) times << answer(line) << ' ';
      std::cout << times.str() << std::endl;
    } catch (const std::exception& failure) {
      std::cout << "error: " << failure.what() << std::endl;
    }
}
