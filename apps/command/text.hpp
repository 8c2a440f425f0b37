// Text of the command line: parsing of values, formatting of messages and pages.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <macareu/image.hpp>

namespace macareu::tool {

std::string in_quotes(std::string_view text);
/// The text without line ends, since a message is one line.
std::string one_line(std::string_view text);
std::vector<std::string> split(std::string_view text, char separator);
std::string joined(const std::vector<std::string>& parts, std::string_view separator);
/// The words as a shell reads them.
std::string for_shell(const std::vector<std::string>& words);
/// Names are city_block in C++ and city-block on the command line.
std::string dashed(std::string_view name);
std::string lower(std::string text);
/// --city-block
std::string option_name(std::string_view parameter);
/// The shortest text that round-trips.
std::string shortest(double value);
std::string shortest(float value);

/// " (did you mean --clip?)" if one of the names is similar, else empty.
std::string did_you_mean(std::string_view text, const std::vector<std::string>& names);

/// These functions throw a usage_error that starts with the option's name.
std::int64_t whole_number(std::string_view option, std::string_view text, std::int64_t lowest,
                          std::int64_t highest);
/// Bytes: 4G, 500M, 64K or a plain number; K, M, G and T are powers of 1024.
std::int64_t memory_size(std::string_view option, std::string_view text);
double real_number(std::string_view option, std::string_view text, double lowest);
extents shape_from(std::string_view option, std::string_view text);
dtype type_from(std::string_view option, std::string_view text);
/// One of the names, separated by '|'.
std::string choice_from(std::string_view option, std::string_view text, std::string_view names);

/// Breaks text into lines and indents all but the first.
std::string wrapped(std::string_view text, std::size_t indent, std::size_t width = 100);

}  // namespace macareu::tool
