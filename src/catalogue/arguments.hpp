#pragma once

#include <macareu/catalogue.hpp>

namespace macareu {

std::string to_string(const argument& value);

/// Every parameter, given or default, each of its kind: what is given as another counts as its text does on a
/// command line. Throws call_error for one that is missing, unknown or not what the parameter takes. Returns
/// `given` where that is complete, else `room`.
const arguments& complete_arguments(const operator_description& about, const arguments& given,
                                    arguments& room);

}  // namespace macareu
