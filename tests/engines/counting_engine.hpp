// An engine that counts the calls it gets, and leaves the work to the serial one: the least that an engine
// can be.
#pragma once

#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "engines/serial/engine.hpp"

namespace macareu::test {

class counting_engine : public images_in_memory {
 public:
  static constexpr std::string_view name = "counting";
  static std::vector<std::string_view> strategies(std::string_view) { return {}; }

  explicit counting_engine(job& work) : inner_(work) {}

  template <class T, class Like>
  auto temporary(const Like& like) {
    return inner_.temporary<T>(like);
  }

#define MACAREU_COUNTED(pattern)                                                           \
  template <class... Arguments>                                                            \
  decltype(auto) pattern(Arguments&&... arguments) requires requires(serial::engine & e) { \
    e.pattern(std::forward<Arguments>(arguments)...);                                      \
  }                                                                                        \
  {                                                                                        \
    ++calls[#pattern];                                                                     \
    return inner_.pattern(std::forward<Arguments>(arguments)...);                          \
  }
  MACAREU_COUNTED(map)
  MACAREU_COUNTED(window)
  MACAREU_COUNTED(gather)
  MACAREU_COUNTED(weighted)
  MACAREU_COUNTED(separable)
  MACAREU_COUNTED(extremes)
  MACAREU_COUNTED(reduce)
  MACAREU_COUNTED(histogram)
  MACAREU_COUNTED(wave)
  MACAREU_COUNTED(line)
  MACAREU_COUNTED(lines)
  MACAREU_COUNTED(carry)
  MACAREU_COUNTED(component)
  MACAREU_COUNTED(recode)
  MACAREU_COUNTED(tally)
  MACAREU_COUNTED(edges)
  MACAREU_COUNTED(basins)
  MACAREU_COUNTED(read)
  MACAREU_COUNTED(finish)
  MACAREU_COUNTED(lend_threads)
#undef MACAREU_COUNTED

  std::map<std::string_view, int> calls;

 private:
  serial::engine inner_;
};

static_assert(pattern_engine<counting_engine>);

}  // namespace macareu::test
