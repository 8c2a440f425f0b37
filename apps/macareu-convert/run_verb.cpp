// macareu run FUNCTION IMAGE... [-o OUTPUT]: a user's function, compiled and run at once.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>

#include <macareu/connectivity.hpp>
#include <macareu/error.hpp>
#include <macareu/files.hpp>

#include <cpu_run.hpp>
#include <cuda_run.hpp>

#include "command/inputs.hpp"
#include "command/other_programs.hpp"
#include "command/outputs.hpp"
#include "command/progress_bar.hpp"
#include "command/text.hpp"
#include "function_file.hpp"
#include "function_images.hpp"
#include "verbs.hpp"

namespace macareu::tool {
namespace {

using converter::category;

struct request {
  function_file function;
  std::vector<std::string> images;
  std::string output;
  std::vector<std::string> parameters;
  std::string device = "auto";
  std::optional<connectivity> neighbours;
  std::optional<int> bins;
  int threads = 0;
  bool quiet = false;
  input_options reading;
};

enum class place { automatic, serial, cpu, cuda };

place place_named(const std::string& device) {
  if (device == "auto") return place::automatic;
  if (device == "serial") return place::serial;
  if (device == "cpu") return place::cpu;
  if (device == "cuda") return place::cuda;
  if (!device.starts_with("cuda:"))
    throw usage_error("--device: expected auto, serial, cpu, cuda or cuda:N, got " + in_quotes(device));
  whole_number("--device cuda:N", device.substr(5), 0, 1023);
  return place::cuda;
}

/// Whether numbers go to standard output.
bool prints(const request& asked) { return asked.output.empty() || asked.output == "-"; }

void check_vector_output(const std::filesystem::path& file) {
  check_text_output(file);
  const auto extension = lower(file.extension().string());
  if (!extension.empty() && extension != ".csv" && extension != ".txt")
    throw usage_error(
        file.string() + ": " + extension +
        " cannot be written; a vector is written as .csv or .txt, or to standard output without -o");
}

void check_output(const request& asked, category kind) {
  switch (kind) {
    case category::r2s:
      if (!prints(asked))
        throw usage_error("-o: the function gives one number, on standard output; leave it out");
      break;
    case category::r2v:
      if (!prints(asked)) check_vector_output(asked.output);
      break;
    default:
      if (asked.output.empty()) throw usage_error("--output is required: the function gives an image");
      check_image_output(asked.output);
  }
}

void check_options(const request& asked, category kind) {
  if (asked.bins) check_option_of("--bins", category::r2v, kind);
  if (asked.neighbours) check_option_of("--connectivity", category::iwpp, kind);
}

int neighbour_count(const connectivity& wanted, int rank) {
  const int reach = wanted.reach(rank);
  return rank == 2 ? (reach == 1 ? 4 : 8) : (reach == 1 ? 6 : reach == 2 ? 18 : 26);
}

/// Chooses T and E if the file does not fix them: the image's type, and the widest type of its kind.
void choose_types(converter::description& about, dtype pixels) {
  const auto set = [](converter::value_type& value, dtype type) {
    value = {type, std::string(converter::spelling_of(type)), 1};
  };
  if (about.any_pixel) set(about.pixel, pixels == dtype::boolean ? dtype::u8 : pixels);
  if (!about.any_result) return;
  const auto type = about.pixel.type;
  set(about.result, type == dtype::f32 || type == dtype::f64 ? dtype::f64
                    : type == dtype::u64                     ? dtype::u64
                                                             : dtype::i64);
  about.any_result = false;
}

image read(const request& asked, const std::string& file, const converter::value_type& type, metadata& info) {
  auto content = type.channels == 1 ? asked.reading.read_grey(file) : asked.reading.read(file);
  const auto channels = content.pixels.channels();
  if (channels != type.channels) {
    const auto& shape = content.pixels.shape();
    const bool last_axis = channels == 1 && shape.rank() == 3 && shape.width() == type.channels;
    throw usage_error(file + " has " + std::to_string(channels) + (channels == 1 ? " channel" : " channels") +
                      ", and the function takes " + std::to_string(type.channels) +
                      (last_axis ? "; --channels last takes the last axis of a .npy file for them" : ""));
  }
  info = content.info;
  return std::move(content.pixels);
}

converter::result_bytes compute_on_cpu(const request& asked, const converter::call& given, bool serial,
                                       interruption& signals) {
  const auto function = [&] {
    const interruption::careful_section careful(signals);  // cleans up after the compiler
    return converter::cpu_function(given.about, given.how);
  }();
  signals.check();
  progress_bar bar("run", asked.quiet);
  const context how{.threads = asked.threads, .progress = bar.callback()};
  converter::result_bytes result;
  function(given, serial ? converter::cpu_engine::serial : converter::cpu_engine::parallel, how, result);
  return result;
}

converter::result_bytes compute_on_gpu(const request& asked, const converter::call& given) {
  const context how{.device = asked.device, .threads = asked.threads};
  converter::result_bytes result;
  converter::run_on_gpu(given, how, result);
  return result;
}

/// Not in a careful section: nothing is written yet, so a signal may end the program at once.
converter::result_bytes compute(const request& asked, const converter::call& given, interruption& signals) {
  const auto where = place_named(asked.device);
  if (where == place::cuda) return compute_on_gpu(asked, given);
  if (where == place::automatic && converter::auto_tries_gpu(given)) {
    try {
      return compute_on_gpu(asked, given);
    } catch (const device_error& e) {
      if (!asked.quiet) std::cerr << "macareu: run: computed on the cpu: " << one_line(e.what()) << "\n";
    }
  }
  return compute_on_cpu(asked, given, where == place::serial, signals);
}

void write(const request& asked, const converter::call& given, const converter::result_bytes& result,
           const metadata& info) {
  const auto& about = given.about;
  output_files all;
  if (about.kind == category::r2s || (about.kind == category::r2v && prints(asked))) {
    std::cout << text_of_result(given, result);
    return;
  }
  if (about.kind == category::r2v) {
    all.add_text(asked.output, text_of_result(given, result));
  } else {
    image pixels(about.result.type, given.shape(), about.result.channels);
    if (!result.empty()) std::memcpy(pixels.data(), result.data(), result.size());
    all.add(asked.output, pixels, info);
  }
  all.commit();
}

int run(const request& asked, interruption& signals) {
  place_named(asked.device);  // rejects a wrong name before files are read
  asked.reading.check(asked.images);
  converter::call given;
  given.about = asked.function.described();
  check_options(asked, given.about.kind);
  check_output(asked, given.about.kind);
  given.values = parameter_values(given.about, asked.parameters);
  if (std::ssize(asked.images) != given.about.inputs)
    throw usage_error("the function takes " + std::to_string(given.about.inputs) +
                      (given.about.kind == category::iwpp ? " images, marker and mask"
                       : given.about.inputs == 1          ? " image"
                                                          : " images") +
                      ", got " + std::to_string(asked.images.size()));
  metadata info, ignored;
  std::vector<image> images;
  for (std::size_t k = 0; k < asked.images.size(); ++k) {
    const bool mask = given.about.kind == category::iwpp && k == 1;
    auto pixels = read(asked, asked.images[k], mask ? given.about.capacity : given.about.pixel,
                       k == 0 ? info : ignored);
    if (k == 0) choose_types(given.about, pixels.type());
    images.push_back(widened(std::move(pixels), mask ? given.about.capacity.type : given.about.pixel.type,
                             asked.images[k]));
  }
  for (const auto& each : images) given.images.push_back(&each);
  given.how = {.name = "function", .border = asked.function.border.value_or("nearest")};
  given.bins = asked.bins.value_or(given.bins);
  if (given.about.kind == category::iwpp)
    given.connectivity = neighbour_count(asked.neighbours.value_or(connectivity::full), given.shape().rank());
  converter::check_call(given);

  const auto result = compute(asked, given, signals);
  const interruption::careful_section careful(signals);
  write(asked, given, result, info);
  return exit_code::done;
}

void add_options(parser& options, request& asked) {
  asked.function.add_to(options);
  options.add({.group = "Inputs",
               .names = "IMAGE",
               .help = "as many as the function takes; for a wave: marker and mask",
               .required = true,
               .several = true,
               .take = [&](const std::string& text) { asked.images.push_back(text); }});
  options.add(
      {.group = "Outputs",
       .names = "-o,--output",
       .value = "OUTPUT",
       .help = "the image, or the vector as CSV (without -o, or with -o -, vectors go to standard output)",
       .take = [&](const std::string& text) { asked.output = text; }});
  options.add({.group = "Parameters",
               .names = "--param",
               .value = "NAME=VALUE",
               .help = "a member of the function's #STRUCT; once for each",
               .several = true,
               .take = [&](const std::string& text) { asked.parameters.push_back(text); }});
  options.add({.group = "Parameters",
               .names = "--bins",
               .value = "N",
               .help = "elements of an R2V function's vector (default: 256)",
               .take = [&](const std::string& text) {
                 asked.bins = static_cast<int>(whole_number("--bins", text, 1, 1 << 28));
               }});
  options.add({.group = "Parameters",
               .names = "--connectivity",
               .value = "4|8|6|18|26|face|edge|full",
               .help = "neighbours in an IWPP function's wave (default: full)",
               .take = [&](const std::string& text) {
                 const auto value = connectivity::named(text);
                 if (!value)
                   throw usage_error("--connectivity: expected 4, 8, 6, 18, 26, face, edge or full, got " +
                                     in_quotes(text));
                 asked.neighbours = *value;
               }});
  options.add({.group = "Running",
               .names = "--device",
               .value = "auto|serial|cpu|cuda|cuda:N",
               .help = "where to compute (default: auto); the result is the same",
               .take = [&](const std::string& text) { asked.device = text; }});
  options.add({.group = "Running",
               .names = "--threads",
               .value = "N",
               .help = "threads to use (default: what the machine allows; OMP_NUM_THREADS is respected)",
               .take = [&](const std::string& text) {
                 asked.threads = static_cast<int>(whole_number("--threads", text, 1, 4096));
               }});
  options.add({.group = "Running",
               .names = "--quiet",
               .help = "no progress bar (cpu only) and no notes",
               .take = [&](const std::string&) { asked.quiet = true; }});
  asked.reading.add_to(options);
  asked.reading.add_channel_to(options);
}

}  // namespace

verb run_verb() {
  auto about = run_outline();
  about.notes =
      "See `macareu convert --help` for how functions are marked. Compiled code is cached in $MACAREU_CACHE, "
      "or macareu in the user's cache directory. Example: macareu run examples/convert/binarise.c in.png "
      "-o out.png --param tolerancia=27";
  about.prepare = [](parser& options) {
    const auto asked = std::make_shared<request>();
    add_options(options, *asked);
    return [asked](interruption& signals) { return run(*asked, signals); };
  };
  return about;
}

}  // namespace macareu::tool
