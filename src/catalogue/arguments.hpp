#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include <macareu/catalogue.hpp>

namespace macareu {

std::string to_string(const argument& value);

/// Every parameter, given or default, converted to its kind. An argument of another kind is parsed from its
/// text, as on a command line. Throws call_error for parameters that are missing, unknown or invalid. Returns
/// `given` if that is complete, else `room`.
const arguments& complete_arguments(const operator_description& about, const arguments& given,
                                    arguments& room);

/// The box of a piece, if the call gives the slices (rows, in images) that one has.
std::optional<std::array<std::int64_t, 3>> wanted_pieces(const operator_description& about,
                                                         const arguments& given);

}  // namespace macareu
