// Ranks of one machine without MPI.
#pragma once

#include <memory>

#include <macareu/ranks.hpp>

namespace macareu::tool {

/// Copies this process until there are so many, connected by sockets; this one is the first rank. Returns in
/// all of them. Call it before threads start. If one of them dies, the next exchange ends all, and the first
/// one tells. They do not outlive the first.
std::unique_ptr<ranks> fork_ranks(int size);

}  // namespace macareu::tool
