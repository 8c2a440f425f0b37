// The description of a marked function: all that `convert` and `run` need, stored as a small JSON object.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <macareu/image.hpp>

namespace macareu::converter {

/// The papers' patterns: pixel to pixel, neighbourhood to pixel, reduction to a scalar, reduction to a
/// vector, and irregular wavefront propagation.
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
  std::string arguments;  ///< empty: a macro without arguments
};

/// A type of a system header: "int_fast16_t" and "long".
struct system_type {
  std::string name, spelling;
};

struct description {
  category kind = category::p2p;
  std::string file;         ///< the source file, for messages
  std::string function;     ///< name of the marked function; `offer` for a wave
  std::string definitions;  ///< the user's #include, #define, struct, enum and typedef lines
  /// Functions of mathematics that it calls with the rules of C: sqrt takes double, abs takes int. Empty for
  /// C++.
  std::vector<std::string> c_functions;
  /// Names of system headers that it uses, as found where it was parsed. NVRTC has no such headers.
  std::vector<system_macro> system_macros;
  std::vector<system_type> system_types;
  std::string helpers;      ///< functions that the marked one calls, each after the word RULE
  std::string body;         ///< the marked functions, likewise
  value_type pixel;         ///< for a wave, its state
  value_type result;        ///< for R2V, an element of the vector
  value_type capacity;      ///< for a wave, the neighbour's capacity
  int inputs = 1;           ///< number of input images
  bool generic = false;     ///< an R2S function on the paper's types T and E
  bool any_pixel = false;   ///< E is left open
  bool any_result = false;  ///< T is left open
  bool wide_index = false;  ///< the pixel's index has 64 bits
  std::vector<int> window;  ///< for N2P: {rows, columns} or {slices, rows, columns}
  std::string parameter_struct;
  std::vector<parameter> parameters;
};

/// The largest window size along any axis.
inline constexpr int widest_window = 31;

/// Version of the JSON object; others are refused.
inline constexpr int format_version = 7;

std::string to_json(const description& about);
/// Throws usage_error, without a file name, if from_json would refuse the output of to_json.
void check_description(const description& about);
/// Throws usage_error, naming `file`, if the text is not a description or was changed since to_json wrote it.
/// The checksum detects accidental changes; it is not a security check. A description holds code, so use
/// trusted ones only: source checks are not repeated.
description from_json(const std::string& text, const std::string& file);

/// "unsigned char"
std::string_view spelling_of(dtype type);

/// The name in ASCII. nvcc accepts other letters except in function names, for which macros are used. NVRTC
/// accepts none.
std::string ascii_name(std::string_view name);

}  // namespace macareu::converter
