#include "catalogue/device_pool.hpp"

#include <exception>
#include <thread>
#include <utility>

#include "core/ranks/rank_mailbox.hpp"
#include "engines/cuda/runtime/presence.hpp"

namespace macareu {
namespace {

class thread_rank final : public ranks {
 public:
  thread_rank(rank_mailbox& mail, int rank, const std::vector<std::string>& names)
      : mail_(mail), rank_(rank), names_(names) {}
  int rank() const override { return rank_; }
  int size() const override { return static_cast<int>(names_.size()); }
  int local_rank() const override { return rank(); }
  int local_size() const override { return size(); }
  std::string host() const override { return names_[static_cast<std::size_t>(rank_)]; }

 protected:
  void send(int to, std::string_view bytes) override { mail_.put(rank_, to, std::string(bytes)); }
  std::string receive(int from) override { return mail_.take(from, rank_); }

 private:
  rank_mailbox& mail_;
  int rank_;
  const std::vector<std::string>& names_;
};

/// Null, or the error of the work; the others are told of it.
std::exception_ptr error_of(ranks& own, const std::function<void(ranks&)>& work) {
  try {
    try {
      work(own);
      own.meet();  // an error after the last exchange of the work is told too
      return nullptr;
    } catch (...) {
      own.fail(std::current_exception());
      throw;
    }
  } catch (...) {
    return std::current_exception();
  }
}

}  // namespace

std::vector<std::string> devices_of_pool(const context& how) {
  std::vector<std::string> names;
  const auto gpus = cuda::gpus_named(how.device);
  if (gpus.size() < 2) return names;
  for (const int gpu : gpus) names.push_back("cuda:" + std::to_string(gpu));
  return names;
}

void on_threads(const std::vector<std::string>& names, const std::function<void(ranks&)>& work) {
  rank_mailbox mail;
  std::vector<std::exception_ptr> errors(names.size());
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < names.size(); ++i)
      threads.emplace_back([&, i] {
        thread_rank own(mail, static_cast<int>(i), names);
        errors[i] = error_of(own, work);
      });
  }
  for (const auto& error : errors)
    if (error) std::rethrow_exception(error);
}

void guarded_source::read(const image_region& from, void* to) {
  const std::lock_guard lock(guard_);
  inner_.read(from, to);
}

guarded_sink::box guarded_sink::box_of(const image_region& region) {
  return {region.first[0], region.first[1], region.first[2], region.size[0], region.size[1], region.size[2]};
}

void guarded_sink::write(const image_region& to, const void* from) {
  const std::lock_guard lock(guard_);
  inner_.write(to, from);
  written_.insert(box_of(to));
}

bool guarded_sink::link_chunk(const image_region& chunk, const std::filesystem::path& file) {
  const std::lock_guard lock(guard_);
  if (!inner_.link_chunk(chunk, file)) return false;
  written_.insert(box_of(chunk));
  return true;
}

bool guarded_sink::was_written(const image_region& region) {
  const std::lock_guard lock(guard_);
  return written_.contains(box_of(region)) || inner_.was_written(region);
}

}  // namespace macareu
