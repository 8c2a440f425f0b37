#include <macareu/ranks.hpp>

#include <algorithm>
#include <chrono>
#include <new>
#include <tuple>

#include <macareu/error.hpp>

#include "core/ranks/rank_tree.hpp"

namespace macareu {
namespace {

// The first byte of a message. An error that only a part of the tree was told of is told to all by the next
// exchange.
constexpr char is_well = 'w', has_failed_everywhere = 'f', has_failed_here = 'h';

// The kinds of errors.
constexpr char of_usage = 'u', of_call = 'c', of_files = 'i', of_device = 'd', of_stop = 's',
               of_program = 'p';

/// An error as a message: the part of the work it belongs to, its kind, and its texts.
std::int64_t part_of(const std::string& told) {
  std::int64_t part = 0;
  told.copy(reinterpret_cast<char*>(&part), sizeof part);
  return part;
}

/// An error that a rank told, with its name in the text.
struct has_rank {
  virtual ~has_rank() = default;
};
template <class Error>
struct told_error final : Error, has_rank {
  using Error::Error;
};

std::string with_size(const std::string& bytes) {
  const std::uint64_t size = bytes.size();
  return std::string(reinterpret_cast<const char*>(&size), sizeof size) + bytes;
}

std::vector<std::string> texts_in(const std::string& all) {
  std::vector<std::string> each;
  for (std::size_t at = 0; at < all.size();) {
    std::uint64_t size = 0;
    all.copy(reinterpret_cast<char*>(&size), sizeof size, at);
    each.push_back(all.substr(at + sizeof size, size));
    at += sizeof size + size;
  }
  return each;
}

/// Texts of an error: who tells it, what it is about, and the message; or those of a call_problem.
std::string texts_of(const std::string& told_by, const error& e) {
  return with_size(told_by) + with_size(std::string(e.about())) + with_size(e.message());
}
std::string texts_of(const std::string& told_by, const call_problem& problem) {
  auto all = with_size(told_by) + with_size(std::to_string(static_cast<int>(problem.kind))) +
             with_size(problem.operation) + with_size(problem.given) + with_size(problem.allowed);
  for (const auto& part : problem.parts)
    all += with_size(std::to_string(static_cast<int>(part.is))) + with_size(part.text);
  return all;
}
call_problem problem_in(const std::vector<std::string>& texts) {
  call_problem problem{static_cast<fault>(std::stoi(texts[1])), texts[2], {}, texts[3], texts[4]};
  for (std::size_t i = 5; i + 1 < texts.size(); i += 2)
    problem.parts.emplace_back(static_cast<error_part::role>(std::stoi(texts[i])), texts[i + 1]);
  return problem;
}

[[noreturn]] void throw_told(const std::string& told) {
  const auto texts = texts_in(told.substr(sizeof(std::int64_t) + 1));
  switch (told[sizeof(std::int64_t)]) {
    case of_usage:
      throw told_error<usage_error>(texts[1], texts[2], texts[0]);
    case of_call:
      throw told_error<call_error>(problem_in(texts), texts[0]);
    case of_files:
      throw told_error<io_error>(texts[1], texts[2], texts[0]);
    case of_device:
      throw told_error<device_error>(texts[1], texts[2], texts[0]);
    case of_stop:
      throw interrupted();
    default:
      throw told_error<internal_error>(texts[1], texts[2], texts[0]);
  }
}

}  // namespace

std::string ranks::told_by(const std::exception_ptr& error) const {
  const auto name = "rank " + std::to_string(rank()) + " on " + host() + ": ";
  // Those of other ranks have their name already.
  const auto name_for = [&](const std::exception& e) {
    return dynamic_cast<const has_rank*>(&e) ? std::string() : name;
  };
  std::string told(reinterpret_cast<const char*>(&parts_), sizeof parts_);
  try {
    std::rethrow_exception(error);
  } catch (const call_error& e) {
    // The first rank's is told as one process would: most often all ranks have it.
    return told + of_call + texts_of(is_first() ? "" : name_for(e), e.problem());
  } catch (const usage_error& e) {
    return told + of_usage + texts_of(is_first() ? "" : name_for(e), e);
  } catch (const io_error& e) {
    return told + of_files + texts_of(name_for(e), e);
  } catch (const device_error& e) {
    return told + of_device + texts_of(name_for(e), e);
  } catch (const interrupted&) {
    return told + of_stop;
  } catch (const std::bad_alloc&) {
    return told + of_device + texts_of(name, device_error("not enough memory"));
  } catch (const std::exception& e) {
    return told + of_program + texts_of(name_for(e), internal_error(e.what()));
  }
}

std::string ranks::pass(char state, std::string bytes, const rank_exchange& how) {
  const auto guarded = [&](char failure, const auto& work) {
    try {
      work();
    } catch (...) {
      state = failure;
      bytes = told_by(std::current_exception());
    }
  };
  // Half an exchange would leave other ranks waiting. An error in it ends the process, and the launcher ends
  // the others.
  const auto send_and_receive = [&]() noexcept {
    const place_in_tree place(rank(), size());
    for (const auto& range : place.below) {
      auto other = await(range.middle);
      const char other_state = other[0];
      other.erase(0, 1);
      if (state != is_well && (other_state == is_well || part_of(bytes) <= part_of(other))) continue;
      if (other_state != is_well) {
        state = other_state;
        bytes = std::move(other);
      } else {
        guarded(has_failed_everywhere, [&] { bytes = how.join(range, std::move(bytes), std::move(other)); });
      }
    }
    if (place.above >= 0) {
      bytes_up_ += static_cast<std::int64_t>(bytes.size());
      send(place.above, state + bytes);
      bytes = await(place.above);
      state = bytes[0];
      bytes.erase(0, 1);
    } else if (state == is_well && how.answer) {
      guarded(has_failed_everywhere, [&] { bytes = how.answer(std::move(bytes)); });
    }
    for (auto range = place.below.rbegin(); range != place.below.rend(); ++range) {
      std::string other;
      if (state == is_well)
        guarded(has_failed_here, [&] {
          if (how.split)
            std::tie(bytes, other) = how.split(*range, std::move(bytes));
          else
            other = bytes;
        });
      send(range->middle, state + (state == is_well ? other : bytes));
    }
  };
  send_and_receive();
  failed_ = state == has_failed_everywhere;
  if (state != is_well) throw_told(bytes);
  return bytes;
}

std::string ranks::await(int from) {
  const auto begin = std::chrono::steady_clock::now();
  auto bytes = receive(from);
  seconds_waiting_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return bytes;
}

std::string ranks::exchange(std::string own, const rank_exchange& how) {
  if (failed_) throw internal_error("ranks: an exchange after an error of all ranks");
  return pass(is_well, std::move(own), how);
}

void ranks::meet() {
  exchange({}, {[](const rank_range&, std::string, std::string) { return std::string(); }});
}

std::string ranks::from_first(std::string own) {
  return exchange(is_first() ? std::move(own) : std::string(),
                  {[](const rank_range&, std::string first, std::string) { return first; }});
}

std::vector<std::string> ranks::gather(std::string own) {
  const auto all =
      exchange(with_size(own),
               {[](const rank_range&, std::string first, std::string second) { return first + second; }});
  return texts_in(all);
}

std::int64_t ranks::least(std::int64_t own) {
  for (const auto& other : gather(std::to_string(own))) own = std::min<std::int64_t>(own, std::stoll(other));
  return own;
}

void ranks::on_first(const std::function<void()>& work) {
  if (is_first()) work();
  meet();
}

void ranks::require_same(std::string_view what, const std::string& own) {
  const auto first = from_first(own);
  if (own != first) {
    std::size_t at = 0;
    while (at < first.size() && at < own.size() && first[at] == own[at]) ++at;
    const auto line = [&](const std::string& text) {
      const auto end_of_last = at == 0 ? std::string::npos : text.rfind('\n', at - 1);
      const auto begin = end_of_last == std::string::npos ? 0 : end_of_last + 1;
      return text.substr(begin, text.find('\n', begin) - begin);
    };
    throw told_error<usage_error>("ranks have different " + std::string(what) + ": rank 0 has '" +
                                  line(first) + "', rank " + std::to_string(rank()) + " on " + host() +
                                  " has '" + line(own) + "'");
  }
  meet();  // no rank goes on before all have compared
}

std::int64_t share_of_device(ranks& all, std::int64_t bytes, const std::string& device) {
  const auto own = device.empty() ? device : all.host() + ' ' + device;
  const auto every = all.gather(own);
  return all.least(bytes / (own.empty() ? 1 : std::ranges::count(every, own)));
}

void ranks::fail(const std::exception_ptr& error) {
  if (failed_ || size() == 1) return;
  const auto is_own = [&](const usage_error& told) {
    try {
      std::rethrow_exception(error);
    } catch (const usage_error& own) {
      return std::string_view(own.what()) == told.what();
    } catch (...) {
      return false;
    }
  };
  try {
    pass(has_failed_everywhere, told_by(error), {});
  } catch (const usage_error& told) {
    if (!is_own(told)) throw;
  }
}

}  // namespace macareu
