// Takes the place of Zarr in builds without nlohmann-json.
#include <macareu/error.hpp>

#include "zarr.hpp"

namespace macareu::files {

bool has_zarr() { return false; }

std::unique_ptr<image_source> open_zarr(const std::filesystem::path& directory, const read_options&) {
  throw io_error(directory.string(), "is a directory, and this build has no nlohmann-json to read Zarr");
}

std::unique_ptr<image_sink> create_zarr(const std::filesystem::path& directory, const source_form&,
                                        const sink_options&, bool) {
  throw io_error(directory.string(), "this build has no nlohmann-json to write Zarr");
}

}  // namespace macareu::files
