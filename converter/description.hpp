// What the converter knows of a marked function: all that `convert` and `run` need, as a small JSON object.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <macareu/image.hpp>

namespace macareu::converter {

/// The papers' patterns: pixel to pixel, neighbourhood to pixel, reduction to a scalar, reduction to a
/// vector, irregular wave front.
enum class category { p2p, n2p, r2s, r2v, iwpp };

std::string_view name_of(category kind);

/// A pixel or a value: a number, or a struct of `channels` numbers of one type (colour).
struct value_type {
  dtype type = dtype::u8;
  std::string spelling = "unsigned char";  ///< in C++
  int channels = 1;
  bool operator==(const value_type&) const = default;
};

/// A member of the parameter struct.
struct parameter {
  std::string name;
  dtype type = dtype::i32;
};

/// A macro of a system header: "INT_MAX" and "2147483647"; "INT64_C", "c ## L" and "(c)".
struct system_macro {
  std::string name, value;
  std::string arguments;  ///< nothing: it takes none
};

/// A type of a system header: "int_fast16_t" and "long".
struct system_type {
  std::string name, spelling;
};

struct description {
  category kind = category::p2p;
  std::string file;         ///< where it was written, for messages
  std::string function;     ///< name of the marked function; of a wave `offer`
  std::string definitions;  ///< the user's #include, #define, struct, enum and typedef lines
  /// Functions of mathematics that it calls by C's rules: sqrt is of double, and abs of int. Of none in C++.
  std::vector<std::string> c_functions;
  /// What it uses of system headers, as the machine that parsed it has them: NVRTC has no such headers.
  std::vector<system_macro> system_macros;
  std::vector<system_type> system_types;
  std::string helpers;      ///< functions that the marked one calls, each after the word RULE
  std::string body;         ///< the marked functions, likewise
  value_type pixel;         ///< of a wave the state
  value_type result;        ///< of R2V an element of the vector
  value_type capacity;      ///< of a wave what the neighbour has
  int inputs = 1;           ///< images it reads
  bool generic = false;     ///< an R2S function on the paper's types T and E
  bool any_pixel = false;   ///< which does not say what E is
  bool any_result = false;  ///< which does not say what T is
  bool wide_index = false;  ///< the pixel's index has 64 bits
  std::vector<int> window;  ///< of N2P: {rows, columns} or {slices, rows, columns}
  std::string parameter_struct;
  std::vector<parameter> parameters;
};

/// Of a window, along any axis.
inline constexpr int widest_window = 31;

/// Of the JSON object; another one is refused.
inline constexpr int format_version = 7;

std::string to_json(const description& about);
/// Throws usage_error, which names no file, where from_json would refuse what to_json writes.
void check_description(const description& about);
/// Throws usage_error, naming `file`, where the text is no description, or was changed since to_json wrote
/// it. What is in it is still code, which whoever gave it is trusted with: the checks of sources are not made
/// again.
description from_json(const std::string& text, const std::string& file);

/// "unsigned char"
std::string_view spelling_of(dtype type);

/// The name in ASCII. nvcc takes letters of other alphabets in all names but those of functions, which are
/// macros for these; NVRTC takes them in none.
std::string ascii_name(std::string_view name);

}  // namespace macareu::converter
