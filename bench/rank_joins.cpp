// The joining code of ranks on an image that no machine here can hold: rank_joins [--side 1000000]
// [--ranks 1024] [--strips 8] [--width 64] [--json FILE]
//
// Every virtual rank has a square of the image. What its rim tells comes from real tissue: strips of pixels
// along both sides of the lines between ranks, which are drawn at full length. Lines take turns with --strips
// strips. Pixels further than --width from a line have capacity 0, so the joined problem is an exact one. For
// labels, ranks have whole rows, and the objects beyond the strips are counted by the density in them.
//
// Joins run one after the other and are timed apart. The critical path is the sum over the levels of the tree
// of the slowest join, and of each level's largest message at `bandwidth`, with `latency`. Memory is what a
// rank allocates for its joins, with the messages in it.
#include <malloc.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <fstream>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <new>
#include <span>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <macareu/catalogue.hpp>
#include <macareu/generate.hpp>

#include "bench/machine.hpp"
#include "engines/pieces/component/band_regions.hpp"
#include "engines/pieces/wave/rank_rims.hpp"
#include "engines/pieces/wave/rim_flood.hpp"
#include "engines/pieces/wave/rim_graph.hpp"

namespace {

std::int64_t bytes_in_use = 0, peak_in_use = 0;  // of operator new; joins run in one thread

}  // namespace

// Not inlined: the compiler would see malloc() and operator delete as a mismatch.
[[gnu::noinline]] void* operator new(std::size_t bytes) {
  void* const made = std::malloc(bytes);
  if (!made) throw std::bad_alloc();
  const auto room = static_cast<std::int64_t>(malloc_usable_size(made));
  const auto now = __atomic_add_fetch(&bytes_in_use, room, __ATOMIC_RELAXED);
  if (now > peak_in_use) peak_in_use = now;
  return made;
}
[[gnu::noinline]] void operator delete(void* made) noexcept {
  __atomic_sub_fetch(&bytes_in_use, static_cast<std::int64_t>(malloc_usable_size(made)), __ATOMIC_RELAXED);
  std::free(made);
}
void operator delete(void* made, std::size_t) noexcept { ::operator delete(made); }

namespace macareu::bench {
namespace {

using json = nlohmann::ordered_json;
using key = std::uint8_t;
using summary = pieces::rim_summary<key>;
using pieces::box;

constexpr double bandwidth = 1e9,
                 latency = 50e-6;    // bytes a second, and seconds a message: 10 Gbit/s Ethernet
constexpr key bright = 100;          // of objects, above it
constexpr std::int64_t beside = 32;  // rows beyond a strip, which its opening depends on
const neighbourhood near{2, 2};

struct settings {
  std::int64_t side = 1'000'000, ranks = 1024, strips = 8, width = 64;
  std::string file;
};

/// Processor time, which other programs of the machine do not change. Joins use one thread.
double seconds_of(const std::function<void()>& work) {
  const auto now = [] {
    timespec time{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  };
  const auto begin = now();
  work();
  return now() - begin;
}

/// Pixels beside a line: along it the first axis, across it the second, from -width to width - 1.
struct strip {
  image mask, marker;
  std::int64_t width;
  bool upright;

  strip(const settings& given, std::uint64_t seed, bool is_upright)
      : width(given.width), upright(is_upright) {
    const auto across = 2 * (given.width + beside);
    auto drawn = generate("tissue", upright ? extents{given.side, across} : extents{across, given.side},
                          {.seed = seed});
    mask = std::move(drawn.mask);
    marker = std::move(*drawn.marker);
  }
  key at(const image& of, std::int64_t along, std::int64_t across) const {
    const auto y = upright ? along : across + width + beside, x = upright ? across + width + beside : along;
    return static_cast<const key*>(of.data())[y * of.shape().width() + x];
  }
  std::int64_t length() const { return upright ? mask.shape().height() : mask.shape().width(); }
};

image run_one(const char* name, std::vector<const_image_view> inputs) {
  return std::move(run_operator(*find_operator(name), inputs, arguments{}, {.device = "cpu"})[0]);
}

/// The rim of one side's pixels from `begin` to `end` along a line, solved alone. before: those of the side
/// with smaller coordinates.
summary summary_of(const strip& from, bool before, std::int64_t begin, std::int64_t end) {
  const auto length = end - begin, first = before ? -from.width : 0;
  const extents shape = from.upright ? extents{length, from.width} : extents{from.width, length};
  image mask(dtype::u8, shape), marker(dtype::u8, shape);
  const auto place = [&](std::int64_t y, std::int64_t x) {
    return from.upright ? std::pair(begin + y, first + x) : std::pair(begin + x, first + y);
  };
  for (std::int64_t y = 0; y < shape.height(); ++y)
    for (std::int64_t x = 0; x < shape.width(); ++x) {
      const auto [along, across] = place(y, x);
      static_cast<key*>(mask.data())[y * shape.width() + x] = from.at(from.mask, along, across);
      static_cast<key*>(marker.data())[y * shape.width() + x] = from.at(from.marker, along, across);
    }
  const auto solved = run_one("reconstruct", {marker, mask});
  pieces::piece_keys<key> keys;
  keys.reset({{0, 0, 0}, {1, shape.height(), shape.width()}}, false);
  for (std::int64_t y = 0; y < shape.height(); ++y)
    for (std::int64_t x = 0; x < shape.width(); ++x) {
      keys.capacity[keys.at(0, y, x)] = static_cast<const key*>(mask.data())[y * shape.width() + x];
      keys.value[keys.at(0, y, x)] = static_cast<const key*>(solved.data())[y * shape.width() + x];
    }
  // Pixels at the ends of an upright piece belong to other strips: any capacity is an upper bound of theirs.
  const auto outside = [&](site q) -> key {
    if (q.y >= 0 && q.x >= 0 && q.y < shape.height() && q.x < shape.width()) return 0;
    const auto [along, across] = place(q.y, q.x);
    if (across < -from.width || across >= from.width) return 0;
    if (along < begin || along >= end) {
      if (from.upright) return 255;
      if (along < 0 || along >= from.length()) return 0;
    }
    return from.at(from.mask, along, across);
  };
  summary found;
  std::vector<pieces::open_pixel<key>> open;
  pieces::rim_flood<key> flood;
  flood.summarise(near, keys, outside, static_cast<std::size_t>(shape.pixels()), found, open);
  return found;
}

/// What a rank knows of the rims of its four strips, and of the rest, where nothing passes.
class squares {
 public:
  explicit squares(const settings& given)
      : given_(given),
        across_(static_cast<std::int64_t>(std::lround(std::sqrt(static_cast<double>(given.ranks))))),
        grid_({1, given.side, given.side, {0, 0, 0}}, {1, given.side / across_, given.side / across_}) {
    if (across_ * across_ != given.ranks || given.side % across_ != 0)
      throw std::invalid_argument("ranks must be a square number, and its root divide the side");
    const auto side = grid_.size().x;
    for (std::int64_t k = 0; k < given.strips; ++k)
      for (const bool upright : {false, true}) {
        const strip drawn(given, static_cast<std::uint64_t>(2 * k + upright + 1), upright);
        for (std::int64_t i = 0; i < across_; ++i)
          for (const bool before : {false, true}) {
            const auto margin = upright ? given.width : 0;
            sides_[{upright, k, i, before}] =
                summary_of(drawn, before, i * side + margin, (i + 1) * side - margin);
          }
        std::cerr << "strip " << k << (upright ? ", upright" : "") << "\n";
      }
  }

  box whole() const { return grid_.whole(); }
  box pixels_of(int first, int end) const {
    return grid_.pixels_of(
        pieces::share_of_ranks({{0, 0, 0}, grid_.counts()}, static_cast<int>(given_.ranks), first, end));
  }

  pieces::rim_graph<key> graph_of(int rank) const {
    const auto own = pixels_of(rank, rank + 1);
    const auto width = given_.width, rest = own.size.y - 2 * width;
    const site first = own.first;
    const std::vector<box> boxes{{first, {1, width, own.size.x}},
                                 {{0, own.end().y - width, first.x}, {1, width, own.size.x}},
                                 {{0, first.y + width, first.x}, {1, rest, width}},
                                 {{0, first.y + width, own.end().x - width}, {1, rest, width}},
                                 {{0, first.y + width, first.x + width}, {1, rest, rest}}};
    pieces::rim_graph<key> graph(
        whole(), own, boxes,
        [own, width](site p) -> std::size_t {
          const site q = p - own.first;
          if (q.y < width) return 0;
          if (q.y >= own.size.y - width) return 1;
          return q.x < width ? 2 : q.x >= own.size.x - width ? 3 : 4;
        },
        near);
    const auto row = first.y / own.size.y, column = first.x / own.size.x;
    graph.add(0, side(false, row, column, false));
    graph.add(1, side(false, row + 1, column, true));
    graph.add(2, side(true, column, row, false));
    graph.add(3, side(true, column + 1, row, true));
    const std::vector<key> nothing(static_cast<std::size_t>(4 * rest - 4));
    graph.add(4, {nothing, nothing, {}});
    return graph;
  }

 private:
  const summary& side(bool upright, std::int64_t line, std::int64_t part, bool before) const {
    return sides_.at({upright, line % given_.strips, part, before});
  }

  settings given_;
  std::int64_t across_;
  pieces::piece_grid grid_;
  std::map<std::tuple<bool, std::int64_t, std::int64_t, bool>, summary> sides_;
};

/// Of one level of the tree, the slowest join and the largest message.
struct level {
  double up = 0, down = 0;
  std::size_t bytes_up = 0, bytes_down = 0;
};

/// What joins of one rank allocate.
struct rank_memory {
  std::int64_t held = 0, peak = 0;

  /// Runs a part of the rank's work. It gets messages of so many bytes and gives others, which it does not
  /// keep.
  double watch(std::size_t received, const std::function<std::size_t()>& work) {
    const auto before = bytes_in_use;
    peak_in_use = before;
    std::size_t given = 0;
    const auto seconds = seconds_of([&] { given = work(); });
    peak = std::max(peak, held + peak_in_use - before + static_cast<std::int64_t>(received));
    held += bytes_in_use - before - static_cast<std::int64_t>(given);
    return seconds;
  }
};

/// The tree of virtual ranks: what each tells, joined and answered.
class tree {
 public:
  using exchanges = std::function<rank_exchange&(int rank)>;

  tree(int ranks, exchanges how)
      : ranks_(ranks), how_(std::move(how)), memory_(static_cast<std::size_t>(ranks)) {}

  rank_memory& memory(int rank) { return memory_[static_cast<std::size_t>(rank)]; }
  level& leaves() { return of_ranks_; }

  /// own(rank): what it tells. taken(rank, answer).
  void exchange(const std::function<std::string(int)>& own,
                const std::function<void(int, const std::string&)>& taken) {
    auto all = up(0, ranks_, 0, own);
    down(0, ranks_, 0, how_(0).answer(std::move(all)), taken);
  }

  json report() const {
    json levels = json::array();
    double path = of_ranks_.up + of_ranks_.down;
    for (const auto& each : levels_) {
      const auto messages = 2 * latency + static_cast<double>(each.bytes_up + each.bytes_down) / bandwidth;
      path += each.up + each.down + messages;
      levels.push_back({{"join_s", each.up},
                        {"split_s", each.down},
                        {"bytes_up", each.bytes_up},
                        {"bytes_down", each.bytes_down},
                        {"messages_s", messages}});
    }
    std::int64_t most = 0;
    for (const auto& each : memory_) most = std::max(most, each.peak);
    return {{"critical_path_s", path},
            {"most_bytes_of_a_rank", most},
            {"own_join_s", of_ranks_.up},
            {"own_solve_s", of_ranks_.down},
            {"bytes_up_of_a_rank", of_ranks_.bytes_up},
            {"levels_from_the_root", levels}};
  }

 private:
  std::string up(int first, int end, std::size_t depth, const std::function<std::string(int)>& own) {
    if (end - first == 1) return own(first);
    if (levels_.size() <= depth) levels_.resize(depth + 1);
    const rank_range range{first, first + (end - first) / 2, end};
    auto a = up(first, range.middle, depth + 1, own), b = up(range.middle, end, depth + 1, own);
    auto& here = levels_[depth];
    here.bytes_up = std::max(here.bytes_up, b.size());
    std::string joined;
    const auto received = a.size() + b.size();
    here.up = std::max(here.up, memory(first).watch(received, [&] {
      joined = how_(first).join(range, std::move(a), std::move(b));
      return joined.size();
    }));
    return joined;
  }

  void down(int first, int end, std::size_t depth, std::string answer,
            const std::function<void(int, const std::string&)>& taken) {
    if (end - first == 1) return taken(first, answer);
    const rank_range range{first, first + (end - first) / 2, end};
    auto& here = levels_[depth];
    std::pair<std::string, std::string> halves;
    const auto received = answer.size();
    here.down = std::max(here.down, memory(first).watch(received, [&] {
      halves = how_(first).split(range, std::move(answer));
      return halves.first.size() + halves.second.size();
    }));
    here.bytes_down = std::max(here.bytes_down, halves.second.size());
    down(first, range.middle, depth + 1, std::move(halves.first), taken);
    down(range.middle, end, depth + 1, std::move(halves.second), taken);
  }

  int ranks_;
  exchanges how_;
  std::vector<rank_memory> memory_;
  std::vector<level> levels_;
  level of_ranks_;
};

json reconstruction(const settings& given) {
  const squares image(given);
  const auto ranks = static_cast<int>(given.ranks);
  std::vector<pieces::rank_rims<key>> rims;
  rims.reserve(static_cast<std::size_t>(ranks));
  std::vector<rank_exchange> how;
  for (int rank = 0; rank < ranks; ++rank) {
    rims.emplace_back(image.whole(), near,
                      [&image](int first, int end) { return image.pixels_of(first, end); });
    how.push_back(rims.back().exchange());
  }
  tree all(ranks, [&](int rank) -> rank_exchange& { return how[static_cast<std::size_t>(rank)]; });
  auto& leaves = all.leaves();
  all.exchange(
      [&](int rank) {
        auto graph = image.graph_of(rank);
        std::string told;
        leaves.up = std::max(leaves.up, all.memory(rank).watch(0, [&] {
          told = graph.contract().bytes();
          return told.size();
        }));
        leaves.bytes_up = std::max(leaves.bytes_up, told.size());
        return told;
      },
      [&](int rank, const std::string& outside) {
        if (rank % 16 != 0) return;  // some of them: the graph is made again
        auto graph = image.graph_of(rank);
        graph.contract();
        leaves.down =
            std::max(leaves.down, seconds_of([&] { pieces::rank_rims<key>::solve(graph, outside); }));
      });
  return all.report();
}

/// The bands of a rank on both sides of a line.
struct line_bands {
  pieces::band_record before, after;  // the last band of one rank, and the first of the next

  explicit line_bands(const strip& from) {
    const auto length = from.length(), width = from.width;
    const auto labels_of = [&](std::int64_t first, std::int64_t rows) {
      image objects(dtype::u8, {rows, length});
      for (std::int64_t y = 0; y < rows; ++y)
        for (std::int64_t x = 0; x < length; ++x)
          static_cast<key*>(objects.data())[y * length + x] = from.at(from.mask, x, first + y) > bright;
      return run_one("label", {objects});
    };
    const auto row = [&](const image& of, std::int64_t y) {
      return std::span(static_cast<const std::uint32_t*>(of.data()) + y * length,
                       static_cast<std::size_t>(length));
    };
    const auto highest = [&](const image& of, std::int64_t rows) {
      std::uint32_t most = 0;
      for (std::int64_t y = 0; y < rows; ++y) most = std::max(most, std::ranges::max(row(of, y)));
      return most;
    };
    const auto above = labels_of(-width, width + 1), below = labels_of(0, width);
    before.residue.objects = highest(above, width);
    before.residue.in_first = highest(above, 1);
    after.residue.objects = highest(below, width);
    after.residue.in_first = highest(below, 1);
    after.before = rim_pairs(row(above, width), row(below, 0), before.residue.objects, {});
  }
};

json labels(const settings& given) {
  std::vector<line_bands> lines;
  for (std::int64_t k = 0; k < given.strips; ++k)
    lines.emplace_back(strip(given, static_cast<std::uint64_t>(2 * k + 1), false));
  const auto ranks = static_cast<int>(given.ranks);
  const auto line = [&](int k) -> const line_bands& {
    return lines[static_cast<std::size_t>(k % static_cast<int>(given.strips))];
  };
  const auto between = static_cast<std::uint32_t>(line(0).after.residue.objects *
                                                  (given.side / given.ranks - 2 * given.width) / given.width);
  std::vector<std::unique_ptr<pieces::rank_bands>> bands(static_cast<std::size_t>(ranks));
  std::vector<rank_exchange> how(static_cast<std::size_t>(ranks));
  tree all(ranks, [&](int rank) -> rank_exchange& { return how[static_cast<std::size_t>(rank)]; });
  auto& leaves = all.leaves();
  std::uint64_t objects = 0;
  all.exchange(
      [&](int rank) {
        std::vector<pieces::band_record> own(3);
        own[0] = line(rank).after;
        if (rank == 0) own[0] = {{own[0].residue.objects, 0, {}}, {}};
        own[1].residue.objects = between;
        own[2] = line(rank + 1).before;
        auto& of_rank = bands[static_cast<std::size_t>(rank)];
        std::string told;
        leaves.up = std::max(leaves.up, all.memory(rank).watch(0, [&] {
          of_rank = std::make_unique<pieces::rank_bands>(std::move(own), host_threads{});
          told = of_rank->told();
          return told.size();
        }));
        how[static_cast<std::size_t>(rank)] = of_rank->exchange();
        leaves.bytes_up = std::max(leaves.bytes_up, told.size());
        return told;
      },
      [&](int rank, const std::string& answer) {
        leaves.down = std::max(leaves.down, all.memory(rank).watch(answer.size(), [&] {
          objects = std::move(*bands[static_cast<std::size_t>(rank)]).numbered(answer).count;
          return std::size_t{0};
        }));
      });
  auto report = all.report();
  report["objects"] = objects;
  return report;
}

settings settings_of(int count, char** words) {
  settings given;
  const std::map<std::string, std::int64_t*> numbers{{"--side", &given.side},
                                                     {"--ranks", &given.ranks},
                                                     {"--strips", &given.strips},
                                                     {"--width", &given.width}};
  for (int i = 1; i + 1 < count; i += 2) {
    if (const auto found = numbers.find(words[i]); found != numbers.end())
      *found->second = std::stoll(words[i + 1]);
    else if (std::string(words[i]) == "--json")
      given.file = words[i + 1];
    else
      throw std::invalid_argument(std::string("unknown option ") + words[i]);
  }
  return given;
}

}  // namespace
}  // namespace macareu::bench

int main(int count, char** words) {
  using namespace macareu::bench;
  try {
    const auto given = settings_of(count, words);
    json report{{"commit", commit()},     {"processor", processor()}, {"side", given.side},
                {"ranks", given.ranks},   {"strips", given.strips},   {"width", given.width},
                {"bandwidth", bandwidth}, {"latency", latency}};
    report["reconstruct"] = reconstruction(given);
    report["label"] = labels(given);
    std::cout << report.dump(1) << "\n";
    if (!given.file.empty()) std::ofstream(given.file) << report.dump(1) << "\n";
  } catch (const std::exception& error) {
    std::cerr << "rank_joins: " << error.what() << "\n";
    return 1;
  }
}
