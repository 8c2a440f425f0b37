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
#include <algorithm>
#include <cstdint>
#include <exception>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "bench/machine.hpp"
#include "bench/rank_joins/tissue_strips.hpp"
#include "bench/rank_joins/virtual_tree.hpp"
#include "engines/pieces/component/band_regions.hpp"
#include "engines/pieces/wave/rank_rims.hpp"

namespace macareu::bench {
namespace {

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

json labels(const settings& given) {
  std::vector<line_bands> lines;
  for (std::int64_t k = 0; k < given.strips; ++k)
    lines.emplace_back(strip(given, static_cast<std::uint64_t>(2 * k + 1), false));
  const auto ranks = static_cast<int>(given.ranks);
  const auto line = [&](int k) -> const line_bands& {
    return lines[static_cast<std::size_t>(k % static_cast<int>(given.strips))];
  };
  const auto between = static_cast<std::uint32_t>(line(0).after.objects *
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
        if (rank == 0) own[0] = {own[0].objects, 0, {}, {}};
        own[1].objects = between;
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
