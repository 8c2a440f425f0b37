// Several devices of one process that share a run in pieces: each is a rank (macareu/ranks.hpp) on a thread.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <vector>

#include <macareu/context.hpp>
#include <macareu/ranks.hpp>
#include <macareu/sources.hpp>

namespace macareu {

/// The names in "cuda:N,cuda:M,..."; empty for one device, and for any other text.
std::vector<std::string> devices_of_pool(const context& how);

/// work(rank) on a thread of its own for each name. Returns when all have ended, and rethrows the error that
/// all of them were told.
void on_threads(const std::vector<std::string>& names, const std::function<void(ranks&)>& work);

/// A source that several threads read.
class guarded_source final : public image_source {
 public:
  explicit guarded_source(image_source& inner) : inner_(inner) {}
  const source_form& form() const override { return inner_.form(); }
  std::array<std::int64_t, 3> chunk() const override { return inner_.chunk(); }
  void read(const image_region& from, void* to) override;
  std::string identity() const override { return inner_.identity(); }

 private:
  image_source& inner_;
  std::mutex guard_;
};

/// A sink that several threads write; not for work images, which take files.
class guarded_sink final : public image_sink {
 public:
  explicit guarded_sink(image_sink& inner) : inner_(inner) {}
  std::array<std::int64_t, 3> chunk() const override { return inner_.chunk(); }
  bool in_order() const override { return inner_.in_order(); }
  std::optional<std::string> header() const override { return inner_.header(); }
  void adopt(const std::filesystem::path& file) override { inner_.adopt(file); }
  bool has_chunk_files() const override { return inner_.has_chunk_files(); }
  bool link_chunk(const image_region& chunk, const std::filesystem::path& file) override;
  void write(const image_region& to, const void* from) override;
  void commit() override { inner_.commit(); }
  /// By a thread of this run too.
  bool was_written(const image_region& region) override;

 private:
  using box = std::array<std::int64_t, 6>;
  static box box_of(const image_region& region);

  image_sink& inner_;
  std::mutex guard_;
  std::set<box> written_;
};

}  // namespace macareu
