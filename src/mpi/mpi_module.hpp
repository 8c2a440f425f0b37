// The interface between the library and macareu_openmpi.so and macareu_mpich.so, which are one source built
// against two libraries. Plain data and noexcept functions: a module needs no symbol of the program.
#pragma once

#include <cstdint>

namespace macareu::mpi {

/// Increment with every change of this header.
inline constexpr int mpi_interface = 1;

struct mpi_world {
  int rank = 0, size = 1, local_rank = 0, local_size = 1;
  char host[256] = {};
};

struct mpi_module {
  int version;
  /// False if MPI cannot be initialised.
  bool (*start)(mpi_world*) noexcept;
  void (*end)() noexcept;
  void (*send)(int to, const void* from, std::int64_t bytes) noexcept;
  /// The size of the next message from a rank. Waits for it without using the processor.
  std::int64_t (*expect)(int from) noexcept;
  void (*receive)(int from, void* to, std::int64_t bytes) noexcept;
};

}  // namespace macareu::mpi
