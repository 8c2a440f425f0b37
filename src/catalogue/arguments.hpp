#pragma once

#include <macareu/catalogue.hpp>

namespace macareu {

std::string to_string(const argument& value);

/// Every parameter, given or default; throws usage_error for one that is missing, unknown or of the wrong
/// kind. Returns `given` where nothing has to be added, else `room`.
const arguments& complete_arguments(const operator_description& about, const arguments& given,
                                    arguments& room);

}  // namespace macareu
