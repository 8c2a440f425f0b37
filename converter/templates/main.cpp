// The command line of the program. It reads and writes PGM and PPM.
#include "@NAME@.hpp"

#include <cstdio>
#include <cstring>
#include <exception>
#include <map>
#include <new>

#include "arguments.hpp"
#include "pnm.hpp"

namespace {

constexpr const char* usage =@USAGE@;

struct arguments {
  bool help = false;
  engine where = engine::automatic;
@OPTION_MEMBERS@  std::map<std::string, std::string> values;  // of parameters
  std::vector<std::string> files;
};

engine engine_named(const std::string& name) {
  if (name == "auto") return engine::automatic;
  if (name == "serial") return engine::serial;
  if (name == "cpu") return engine::openmp;
  if (name == "cuda") return engine::cuda;
  throw std::invalid_argument("--device: expected auto, serial, cpu or cuda, got '" + name + "'");
}

arguments parsed(int count, char** texts) {
  arguments given;
  for (int i = 1; i < count; ++i) {
    const std::string text = texts[i];
    const auto equals = text.find('=');
    if (text == "--help" || text == "-h") {
      given.help = true;
    } else if (text.rfind("--", 0) == 0) {
      if (i + 1 == count) throw std::invalid_argument(text + " needs a value");
      const std::string value = texts[++i];
      if (text == "--device")
        given.where = engine_named(value);
@OPTIONS@      else
        throw std::invalid_argument("unknown option " + text);
    } else if (equals != std::string::npos) {
      if (!given.values.emplace(text.substr(0, equals), text.substr(equals + 1)).second)
        throw std::invalid_argument(text.substr(0, equals) + " is given twice");
    } else {
      given.files.push_back(text);
    }
  }
  return given;
}

/// Removes one parameter from the given values and parses it.
template <class Value>
[[maybe_unused]] void take(std::map<std::string, std::string>& values, const std::string& name,
                           Value& value) {
  const auto found = values.find(name);
  if (found == values.end())
    throw std::invalid_argument("parameter " + name + " is needed: " + name + "=VALUE");
  set_value(value, name, found->second);
  values.erase(found);
}

rule::parameters parameters_from(std::map<std::string, std::string> values) {
  rule::parameters given{};
@TAKE_PARAMETERS@  if (!values.empty()) throw std::invalid_argument("there is no parameter " + values.begin()->first);
  return given;
}

/// Converts the values of a file to pixels with members of type Number.
template <class Pixel, class Number>
[[maybe_unused]] std::vector<Pixel> pixels_from(const pnm_image& image, const std::string& file) {
  constexpr int channels = sizeof(Pixel) / sizeof(Number);
  if (image.channels != channels)
    throw std::runtime_error(file + ": has " + std::to_string(image.channels) + " channels, expected " +
                             std::to_string(channels));
  const int reach = image.wide ? 65535 : 255;
  if (static_cast<double>(reach) > static_cast<double>(std::numeric_limits<Number>::max()))
    throw std::runtime_error(file + ": its values reach " + std::to_string(reach) + ", expected at most " +
                             std::to_string(std::numeric_limits<Number>::max()));
  std::vector<Pixel> pixels(image.values.size() / channels);
  std::vector<Number> numbers(image.values.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<Number>(image.values[i]);
  if (!numbers.empty())
    std::memcpy(static_cast<void*>(pixels.data()), numbers.data(), numbers.size() * sizeof(Number));
  return pixels;
}

/// Writes 8 and 16 bits as PGM or PPM, other types as raw memory.
template <class Number, class Pixel>
[[maybe_unused]] void write(const std::string& file, const std::vector<Pixel>& pixels,
                            const pnm_image& like) {
  constexpr int channels = sizeof(Pixel) / sizeof(Number);
  std::vector<Number> numbers(pixels.size() * channels);
  if (!numbers.empty())
    std::memcpy(numbers.data(), static_cast<const void*>(pixels.data()), numbers.size() * sizeof(Number));
  if (std::is_unsigned_v<Number> && sizeof(Number) <= 2 && (channels == 1 || channels == 3)) {
    pnm_image image = like;
    image.channels = channels;
    image.wide = sizeof(Number) == 2;
    image.values.assign(numbers.begin(), numbers.end());
    write_pnm(file, image);
    return;
  }
  std::ofstream raw(file, std::ios::binary);
  raw.write(reinterpret_cast<const char*>(numbers.data()),
            static_cast<std::streamsize>(numbers.size() * sizeof(Number)));
  raw.close();
  if (!raw) throw std::runtime_error(file + ": cannot be written");
}

template <class Value>
[[maybe_unused]] std::string text_of(Value value) {
  char text[64];
  if (std::is_floating_point_v<Value>)
    std::snprintf(text, sizeof text, "%.*g", std::is_same_v<Value, float> ? 9 : 17,
                  static_cast<double>(value));
  else
    return std::to_string(value);
  return text;
}

/// Resolves `automatic`. Warns if there is a GPU that cannot be used.
engine chosen(engine where) {
  if (where != engine::automatic) return where;
  std::string why;
  if (cuda::available(why)) return engine::cuda;
  if (cuda::devices() > 0) std::fprintf(stderr, "computed by OpenMP: %s\n", why.c_str());
  return engine::openmp;
}

void run(arguments given) {
  constexpr std::size_t inputs = @FILES_IN@;
  if (given.files.size() != inputs + @FILES_OUT@) throw std::invalid_argument(usage);
  std::vector<pnm_image> images;
  for (std::size_t i = 0; i < inputs; ++i) images.push_back(read_pnm(given.files[i]));
  for (const auto& image : images)
    if (image.depth != images[0].depth || image.height != images[0].height || image.width != images[0].width)
      throw std::runtime_error("the images differ in size");
  given.where = chosen(given.where);
@PROCESS@}

int failed(const char* why) {
  std::fprintf(stderr, "@NAME@: %s\n", why);
  return 1;
}

}  // namespace

int main(int count, char** texts) {
  try {
    const auto given = parsed(count, texts);
    if (given.help)
      std::fputs(usage, stdout);
    else
      run(given);
    // Output is buffered, so errors may appear only here.
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0)
      return failed("standard output: cannot be written");
    return 0;
  } catch (const std::invalid_argument& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 2;
  } catch (const std::bad_alloc&) {
    return failed("not enough memory");
  } catch (const std::exception& e) {
    return failed(e.what());
  }
}
