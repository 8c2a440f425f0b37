// Several slides, one after another.
#pragma once

#include "command/interruption.hpp"
#include "nuclei/settings.hpp"

namespace macareu::tool {

/// Analyses all slides. Returns the exit code: that of the first slide that failed.
int run_slides(nuclei_settings& settings, interruption& signals);

}  // namespace macareu::tool
