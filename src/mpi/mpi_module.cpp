// Messages of bytes through MPI.
#include "mpi/mpi_module.hpp"

#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <thread>

namespace macareu::mpi {
namespace {

constexpr int of_sizes = 1, of_bytes = 2;  // tags
// Waits for a part begin with short pauses again: long messages do not stand still while ranks sleep.
constexpr std::int64_t largest_part = std::int64_t{32} << 10;

/// Waits for a request. MPI's own wait spins, which takes the processor from ranks that compute.
template <class IsDone>
void wait_for(const IsDone& is_done) {
  using namespace std::chrono_literals;
  constexpr auto longest = 500us;
  for (auto pause = 0us; !is_done();) {
    if (pause == 0us)
      std::this_thread::yield();
    else
      std::this_thread::sleep_for(pause);
    pause = std::min<std::chrono::microseconds>(longest, pause + 2us);
  }
}

void wait_for(MPI_Request& request) {
  wait_for([&] {
    int done = 0;
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    return done != 0;
  });
}

bool start(mpi_world* world) noexcept {
  int level = 0;
  if (MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &level) != MPI_SUCCESS) return false;
  MPI_Comm_rank(MPI_COMM_WORLD, &world->rank);
  MPI_Comm_size(MPI_COMM_WORLD, &world->size);
  MPI_Comm machine = MPI_COMM_NULL;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, world->rank, MPI_INFO_NULL, &machine);
  MPI_Comm_rank(machine, &world->local_rank);
  MPI_Comm_size(machine, &world->local_size);
  MPI_Comm_free(&machine);
  static_assert(sizeof world->host >= MPI_MAX_PROCESSOR_NAME);
  int length = 0;
  MPI_Get_processor_name(world->host, &length);
  return true;
}

void end() noexcept { MPI_Finalize(); }

void send_part(int to, const void* from, std::int64_t bytes, int tag) {
  MPI_Request request;
  MPI_Isend(from, static_cast<int>(bytes), MPI_BYTE, to, tag, MPI_COMM_WORLD, &request);
  wait_for(request);
}

void receive_part(int from, void* to, std::int64_t bytes, int tag) {
  MPI_Request request;
  MPI_Irecv(to, static_cast<int>(bytes), MPI_BYTE, from, tag, MPI_COMM_WORLD, &request);
  wait_for(request);
}

void send(int to, const void* from, std::int64_t bytes) noexcept {
  send_part(to, &bytes, sizeof bytes, of_sizes);
  for (std::int64_t at = 0; at < bytes; at += largest_part)
    send_part(to, static_cast<const std::byte*>(from) + at, std::min(largest_part, bytes - at), of_bytes);
}

std::int64_t expect(int from) noexcept {
  std::int64_t bytes = 0;
  receive_part(from, &bytes, sizeof bytes, of_sizes);
  return bytes;
}

void receive(int from, void* to, std::int64_t bytes) noexcept {
  for (std::int64_t at = 0; at < bytes; at += largest_part)
    receive_part(from, static_cast<std::byte*>(to) + at, std::min(largest_part, bytes - at), of_bytes);
}

}  // namespace
}  // namespace macareu::mpi

extern "C" __attribute__((visibility("default"))) const macareu::mpi::mpi_module MACAREU_MPI_TABLE{
    macareu::mpi::mpi_interface, macareu::mpi::start,  macareu::mpi::end,
    macareu::mpi::send,          macareu::mpi::expect, macareu::mpi::receive};
