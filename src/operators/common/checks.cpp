#include "operators/common/checks.hpp"

namespace macareu {

std::string place(int rank, site p) {
  return (rank == 3 ? "slice " + std::to_string(p.z) + ", " : std::string()) + "row " + std::to_string(p.y) +
         ", column " + std::to_string(p.x);
}

void refuse_nan_at(const operator_description& about, int rank, std::size_t which, site p) {
  throw call_error({.kind = fault::pixels,
                    .operation = std::string(about.name),
                    .parts = {input_named(about.inputs[which].name),
                              " is NaN at " + place(rank, p) + "; replace NaN first, it has no order"},
                    .given = "NaN"});
}

void refuse_marker_at(const call& call, direction toward, const std::string& marker, const std::string& mask,
                      site p) {
  throw call_error({.kind = fault::pixels,
                    .operation = std::string(call.about.name),
                    .parts = {"marker " + marker + " is " + (toward == direction::up ? "above" : "below") +
                                  " mask " + mask + " at " + place(call.rank(), p) + "; use ",
                              parameter_named("clip"), " to clip the marker to the mask"},
                    .given = marker,
                    .allowed = mask});
}

}  // namespace macareu
