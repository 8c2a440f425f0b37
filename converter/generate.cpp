#include "generate.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include <macareu/error.hpp>

#include "layout.hpp"
#include "macros.hpp"
#include "rule_text.hpp"
#include "templates.hpp"

namespace macareu::converter {
namespace {

using fields = std::map<std::string, std::string>;

std::string upper(category kind) {
  std::string text(name_of(kind));
  for (auto& letter : text) letter = static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
  return text;
}

bool gives_image(const description& about) {
  return about.kind == category::p2p || about.kind == category::n2p || about.kind == category::iwpp;
}

/// Number of images in the engines' list; a wave's mask is separate.
int listed_images(const description& about) { return about.kind == category::iwpp ? 1 : about.inputs; }

std::string job_members(const description& about) {
  const std::string result = "  rule::result_type* result = nullptr;\n";
  switch (about.kind) {
    case category::r2s:
      return "";
    case category::r2v:
      return result + "  int bins = 256;\n";
    case category::iwpp:
      return result + "  const rule::capacity_type* capacity = nullptr;\n  int connectivity = 8;\n";
    default:
      return result;
  }
}

/// Explicit instantiations for the result types of a reduction.
std::string instances(const description& about) {
  const auto instance = [](std::string_view type) {
    return "template " + std::string(type) + " run<" + std::string(type) + ">(const job&);\n";
  };
  if (!about.any_result) return instance(about.result.spelling);
  std::string text;
  for (const auto type : {dtype::i8, dtype::u8, dtype::i16, dtype::u16, dtype::i32, dtype::u32, dtype::i64,
                          dtype::u64, dtype::f32, dtype::f64})
    text += instance(spelling_of(type));
  for (const auto* type : {"long", "unsigned long"}) text += instance(type);  // int64_t is one of these
  return text;
}

/// OpenCV's depth constant of a type; empty if cv::Mat does not support it.
std::string opencv_depth(dtype type) {
  switch (type) {
    case dtype::i8:
      return "CV_8S";
    case dtype::u8:
      return "CV_8U";
    case dtype::i16:
      return "CV_16S";
    case dtype::u16:
      return "CV_16U";
    case dtype::i32:
      return "CV_32S";
    case dtype::f32:
      return "CV_32F";
    case dtype::f64:
      return "CV_64F";
    default:
      return "";
  }
}

void add_images(const description& about, fields& values) {
  std::vector<std::string> arguments, mats, empty;
  std::string assignments, taken;
  const std::array<std::string, 2> wave_names{"marcador", "mascara"};
  bool has_mats = true;
  const std::string first = about.kind == category::iwpp ? wave_names[0] : "imagem";
  for (int k = 0; k < about.inputs; ++k) {
    const auto name = about.kind == category::iwpp ? wave_names[static_cast<std::size_t>(k)]
                                                   : "imagem" + (k == 0 ? "" : std::to_string(k + 1));
    const bool capacity = about.kind == category::iwpp && k == 1;
    const auto& value = capacity ? about.capacity : about.pixel;
    const std::string type = capacity ? "rule::capacity_type" : "rule::pixel_type";
    const auto member = capacity ? "work_.capacity" : "work_.images[" + std::to_string(k) + "]";
    const auto depth = opencv_depth(value.type);
    has_mats = has_mats && !depth.empty();
    arguments.push_back("const " + type + "* " + name);
    assignments += "    " + member + " = " + name + ";\n";
    mats.push_back("const cv::Mat& " + name);
    empty.emplace_back("nullptr");
    taken += "    " + member + " = pixels_of<" + type + ">(" + name + ", " + depth + ", " +
             std::to_string(value.channels) + ", " + first + ", copia_[" + std::to_string(k) + "]);\n";
  }
  const auto name = upper(about.kind);
  for (const char* each : {"long long altura", "long long largura", "rule::parameters parametro = {}",
                           "long long profundidade = 1"})
    arguments.emplace_back(each);
  values["CONSTRUCTOR"] = in_brackets("  " + name + "(", arguments, ") {");
  values["IMAGE_ASSIGNMENTS"] = assignments;
  values["MAT_CONSTRUCTOR"] = values["MAT_MEMBERS"] = values["MAT_SUPPORT"] = "";
  if (!has_mats) return;
  empty.push_back(first + ".rows");
  empty.push_back(first + ".cols");
  if (about.kind == category::r2v) {
    mats.emplace_back("int bins");
    empty.emplace_back("bins");
  }
  mats.emplace_back("rule::parameters parametro = {}");
  empty.emplace_back("parametro");
  values["MAT_SUPPORT"] = template_named("mat.hpp");
  values["MAT_CONSTRUCTOR"] = "#ifdef WITH_OPENCV\n" + in_brackets("  explicit " + name + "(", mats, ")") +
                              "\n" + in_brackets("      : " + name + "(", empty, ") {") + "\n" + taken +
                              "  }\n#endif\n";
  values["MAT_MEMBERS"] =
      "#ifdef WITH_OPENCV\n  cv::Mat copia_[" + std::to_string(about.inputs) + "];\n#endif\n";
}

/// The statements of main that process the images.
std::string process(const description& about) {
  const auto number = std::string(spelling_of(about.pixel.type));
  const auto read = [](const std::string& pixel, const std::string& type, const std::string& k) {
    return "pixels_from<" + pixel + ", " + type + ">(images[" + k + "], given.files[" + k + "])";
  };
  std::string text;
  std::vector<std::string> given;
  for (int k = 0; k < listed_images(about); ++k) {
    const auto name = "pixels" + std::to_string(k);
    text += "  const auto " + name + " = " + read("rule::pixel_type", number, std::to_string(k)) + ";\n";
    given.push_back(name + ".data()");
  }
  if (about.kind == category::iwpp) {
    text += "  const auto mask = " +
            read("rule::capacity_type", std::string(spelling_of(about.capacity.type)), "1") + ";\n";
    given.emplace_back("mask.data()");
  }
  given.emplace_back("images[0].height");
  given.emplace_back("images[0].width");
  if (about.kind == category::r2v) given.emplace_back("given.bins");
  given.emplace_back("parameters_from(given.values)");
  given.emplace_back("images[0].depth");
  const auto type = upper(about.kind) + (about.kind == category::r2s ? "<rule::result_type>" : "");
  text += in_brackets("  " + type + " filter(", given, ");\n");
  switch (about.kind) {
    case category::r2s:
      return text + "  std::printf(\"%s\\n\", text_of(filter.processa(given.where)).c_str());\n";
    case category::r2v:
      return text +
             "  filter.processa(given.where);\n  std::printf(\"bin,value\\n\");\n  for (std::size_t i = 0; i < "
             "filter.vetorResultante.size(); ++i)\n    std::printf(\"%zu,%s\\n\", i, "
             "text_of(filter.vetorResultante[i]).c_str());\n";
    default:
      return text + (about.kind == category::iwpp ? "  filter.conectividade = given.connectivity;\n" : "") +
             "  filter.processa(given.where);\n  write<" + std::string(spelling_of(about.result.type)) +
             ">(given.files[inputs], filter.imagemResultante, images[0]);\n";
  }
}

/// The checks of a class before it computes.
std::string checks(const description& about) {
  if (about.kind == category::iwpp)
    return R"(    const bool volume = work_.size.depth > 1;
    const int n = conectividade != 0 ? conectividade : volume ? 26 : 8;
    if (volume ? n != 6 && n != 18 && n != 26 : n != 4 && n != 8)
      throw std::invalid_argument("connectivity " + std::to_string(n) + ", expected " +
                                  (volume ? "6, 18 or 26" : "4 or 8"));
    work_.connectivity = n;
)";
  if (about.kind == category::p2p && !about.wide_index)
    return R"(    if (work_.size.pixels() > 2147483647)
      throw std::invalid_argument("the image has more pixels than the function's int index can count");
)";
  return "";
}

/// Options of the command line, besides those of every program.
std::string option_members(const description& about) {
  if (about.kind == category::r2v) return "  int bins = 256;\n";
  return about.kind == category::iwpp ? "  int connectivity = 0;\n" : "";
}

std::string options(const description& about) {
  if (about.kind == category::r2v)
    return "      else if (text == \"--bins\")\n        given.bins = whole_number(text, value, 1, 1 << 28);\n";
  if (about.kind == category::iwpp)
    return "      else if (text == \"--connectivity\")\n        given.connectivity = whole_number(text, value, 4, 26);\n";
  return "";
}

std::string usage(const description& about, const std::string& name) {
  auto text = name + " [--device auto|serial|cpu|cuda]";
  if (about.kind == category::r2v) text += " [--bins N]";
  if (about.kind == category::iwpp) text += " [--connectivity N]";
  for (const auto& each : about.parameters) text += " " + each.name + "=VALUE";
  if (about.kind == category::iwpp)
    text += " MARKER.pgm MASK.pgm";
  else
    for (int k = 0; k < about.inputs; ++k)
      text += " IN" + (about.inputs > 1 ? std::to_string(k + 1) : "") + ".pgm";
  text = "\"usage: " + text + (gives_image(about) ? " OUT.pgm" : "") + "\\n\"";
  const std::string start = "constexpr const char* usage = ";
  return (start.size() + text.size() + 1 > line_width ? "\n    " : " ") + text;
}

std::string piece(const description& about, const std::string& what) {
  return std::string(template_named(std::string(name_of(about.kind)) + "_" + what));
}

std::string entry_members(const description& about) {
  const std::string result = "  work.result = static_cast<rule::result_type*>(given->result);\n";
  switch (about.kind) {
    case category::r2s:
      return "";
    case category::r2v:
      return result + "  work.bins = given->bins;\n";
    case category::iwpp:
      return result +
             "  work.capacity = static_cast<const rule::capacity_type*>(given->images[1]);\n  work.connectivity = "
             "given->connectivity;\n";
    default:
      return result;
  }
}

std::string entry_call(const description& about) {
  if (about.kind == category::r2s)
    return "    *static_cast<rule::result_type*>(given->result) =\n        given->threads == 0 ? "
           "serial::run<rule::result_type>(work) : parallel::run<rule::result_type>(threads, work);\n";
  return "    if (given->threads == 0)\n      serial::run(work);\n    else\n      parallel::run(threads, work);\n";
}

std::string entry_parameters(const description& about) {
  std::string text;
  for (std::size_t k = 0; k < about.parameters.size(); ++k) {
    const auto type = about.parameters[k].type;
    const auto member = type == dtype::f32 || type == dtype::f64 ? ".real"
                        : type == dtype::u64                     ? ".natural"
                                                                 : ".whole";
    text += "  work.given." + about.parameters[k].name + " = static_cast<" + std::string(spelling_of(type)) +
            ">(given->values[" + std::to_string(k) + "]" + member + ");\n";
  }
  return text;
}

/// Of the kernels.
fields kernel_fields(const description& about) {
  const auto [across, down, most_steps] = pixels_of_a_thread(about);
  return {{"ACROSS", std::to_string(across)},
          {"DOWN", std::to_string(down)},
          {"STEPS", std::to_string(most_steps)}};
}

/// The kernel whose attributes tell whether a GPU can run the program.
std::string kernel_name(const description& about) {
  switch (about.kind) {
    case category::p2p:
      return "kernels::p2p_kernel";
    case category::n2p:
      return "kernels::n2p_kernel";
    case category::r2s:
      return "r2s_kernel<rule::result_type, rule::pixel_type>";
    case category::r2v:
      return "r2v_kernel";
    case category::iwpp:
      return "kernels::iwpp_kernel";
  }
  throw internal_error("no such category");
}

fields fields_of(const description& about, const std::string& name) {
  fields values{{"NAME", name},
                {"CLASS", upper(about.kind)},
                {"INPUTS", std::to_string(listed_images(about))},
                {"JOB_MEMBERS", job_members(about)},
                {"FILES_IN", std::to_string(about.inputs)},
                {"FILES_OUT", gives_image(about) ? "1" : "0"},
                {"PROCESS", process(about)},
                {"USAGE", usage(about, name)},
                {"ENTRY_CALL", entry_call(about)},
                {"ENTRY_MEMBERS", entry_members(about)},
                {"ENTRY_PARAMETERS", entry_parameters(about)},
                {"PARALLEL", piece(about, "parallel.cpp")},
                {"KERNEL", kernel_name(about)},
                {"BEFORE_RUN", checks(about)},
                {"OPTION_MEMBERS", option_members(about)},
                {"OPTIONS", options(about)},
                {"EXTRA_MEMBERS", ""}};
  const bool scalar = about.kind == category::r2s;
  values["RUN_DECLARATION"] =
      scalar ? "template <class T>\nT run(const job& work);\n" : "void run(const job& work);\n";
  values["INSTANCES"] = scalar ? instances(about) : "";
  values["OPENMP_RUN"] =
      scalar
          ? "template <class T>\nT run(const job& work) {\n  return parallel::run<T>(all_threads(), work);\n}\n\n" +
                instances(about)
          : "void run(const job& work) { parallel::run(all_threads(), work); }\n";
  values["NO_CUDA_RUN"] = std::string(scalar ? "template <class T>\nT" : "void") +
                          " run(const job&) {\n  std::string why;\n  available(why);\n  throw "
                          "std::runtime_error(why);\n}\n" +
                          (scalar ? "\n" + instances(about) : "");
  if (about.kind == category::iwpp) {
    values["EXTRA_MEMBERS"] =
        "  /// Neighbours of a pixel: 4 or 8, in volumes 6, 18 or 26; 0 for all.\n  int conectividade = 0;\n";
  }
  values.merge(kernel_fields(about));
  for (const auto& each : about.parameters)
    values["TAKE_PARAMETERS"] +=
        in_brackets("  take(", {"values", "\"" + each.name + "\"", "given." + each.name}, ");\n");
  values.try_emplace("TAKE_PARAMETERS", "");
  add_images(about, values);
  return values;
}

std::string class_text(const description& about) {
  const auto head = std::string(template_named("class_head.hpp"));
  if (about.kind == category::r2s || about.kind == category::r2v) return head + piece(about, "class.hpp");
  return head + std::string(template_named("image_class.hpp"));
}

/// Launch rules, where the pattern has its own, and kernels.
std::string kernel_text(const description& about) {
  const bool simple = about.kind == category::p2p || about.kind == category::r2s;
  return (simple ? "" : piece(about, "launch.hpp")) + piece(about, "kernels.cu");
}

/// Leaves comments and literals unchanged.
std::string with_ascii_names(const std::string& text) {
  std::string result;
  const auto* rest = text.data();
  for (const auto word : words_in(text)) {
    result.append(rest, word.data()) += ascii_name(word);
    rest = word.data() + word.size();
  }
  return result.append(rest, text.data() + text.size());
}

/// The serial engine, and the files that all CPU engines include.
fields serial_files(const description& about, const generation& how, const fields& values) {
  return {{how.name + "_rule.hpp", rule_text(about, how.border)},
          {how.name + ".hpp", filled(class_text(about), values)},
          {how.name + "_serial.cpp", filled(piece(about, "serial.cpp"), values)}};
}

}  // namespace

thread_share pixels_of_a_thread(const description& about) {
  const auto bytes = [](const value_type& type) {
    return static_cast<int>(size_of(type.type)) * type.channels;
  };
  const int widest = std::max(bytes(about.pixel), bytes(about.result));
  const int fitting = static_cast<int>(std::bit_floor(static_cast<unsigned>(std::max(1, 16 / widest))));
  if (about.kind != category::n2p) {
    const bool even = std::has_single_bit(static_cast<unsigned>(bytes(about.pixel))) &&
                      std::has_single_bit(static_cast<unsigned>(bytes(about.result)));
    return {even ? fitting : 1, 1, 1};
  }
  // If results are larger than pixels, writes dominate, and shorter strips are faster.
  thread_share share{std::min(fitting, 4), 6, bytes(about.result) > bytes(about.pixel) ? 2 : 4};
  const auto size = [&](std::size_t from_last) { return about.window[about.window.size() - from_last]; };
  const int slices = about.window.size() == 3 ? size(3) : 1;
  constexpr int most_registers = 100;
  const auto registers = [&] {
    return slices * (share.down + size(2) - 1) * (share.across + size(1) - 1) *
           std::max(1, bytes(about.pixel) / 4);
  };
  while (registers() > most_registers && share.down > 1) share.down /= 2;
  while (registers() > most_registers && share.across > 1) share.across /= 2;
  return share;
}

std::map<std::string, std::string> program(const description& about, const generation& how) {
  const auto values = fields_of(about, how.name);
  auto files = serial_files(about, how, values);
  files[how.name + ".cpp"] =
      filled(std::string(template_named("openmp_head.cpp")) + piece(about, "parallel.cpp") +
                 std::string(template_named("openmp_run.cpp")) + std::string(template_named("no_cuda.cpp")),
             values);
  files[how.name + ".cu"] =
      filled("// The CUDA engine: kernels, and what starts them.\n" +
                 std::string(template_named("cuda_support.cu")) + kernel_text(about) + "\n" +
                 std::string(template_named("cuda_host.cu")) + piece(about, "host.cu"),
             values);
  files["main.cpp"] = filled(template_named("main.cpp"), values);
  files["arguments.hpp"] = template_named("arguments.hpp");
  files["pnm.hpp"] = template_named("pnm.hpp");
  files["CMakeLists.txt"] = filled(template_named("CMakeLists.txt"), values);
  return files;
}

std::map<std::string, std::string> shared_object_source(const description& about, const generation& how) {
  const auto values = fields_of(about, how.name);
  auto files = serial_files(about, how, values);
  files["entry.cpp"] = filled(template_named("entry.cpp"), values);
  return files;
}

std::string kernel_source(const description& about, const generation& how) {
  auto text = with_ascii_names(rule_text(about, how.border)) + "\n" +
              filled(kernel_text(about), kernel_fields(about));
  if (about.kind != category::r2s) return text;
  const auto entry = [](const std::string& name, const std::string& value) {
    return "\nextern \"C\" __global__ void " + name + "(const rule::" + value +
           "* values, rule::result_type* parts, long long count, rule::parameters given) {\n  "
           "join_chunk<rule::result_type>(values, parts, count, given);\n}\n";
  };
  return text + entry("r2s_pixels", "pixel_type") + entry("r2s_parts", "result_type");
}

}  // namespace macareu::converter
