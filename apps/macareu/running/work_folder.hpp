// Work files of one run, in a hidden directory beside its outputs.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <utility>

namespace macareu::tool {

/// A private directory of one run with an output, which other runs with that output find locked. It outlives
/// a run that ends early, so that --resume continues it.
class work_folder {
 public:
  explicit work_folder(std::filesystem::path path) : path_(std::move(path)) {}
  ~work_folder();
  work_folder(const work_folder&) = delete;
  work_folder& operator=(const work_folder&) = delete;
  const std::filesystem::path& path() const { return path_; }

  /// "name: value" lines: what a continued run must have in common with the first one. Inputs may be others
  /// once outputs get their names, as one may be written over.
  struct description {
    std::string run, inputs;
  };
  /// For a run that is not continued: what another one left is removed. `output` is for messages.
  void create(const std::string& output);
  /// Begins a run that can be continued, likewise. Before an unfinished one is removed, it is told how that
  /// ended; nothing is known of one that was killed.
  void begin(const std::string& output, const description& about,
             const std::function<void(const std::string& ended_by)>& removes);
  /// Continues a run. Throws usage_error if there is none, or it was another.
  void resume(const std::string& output, const description& about);
  /// How the run ends early, in one line, for the one that will remove it.
  void note_end(std::string reason) const;
  /// Nothing is left to resume: the directory is removed with this object.
  void forget() { keeps_ = false; }

 private:
  void make(const std::string& output);
  void clear() const;
  std::filesystem::path command() const { return path_ / "command"; }
  std::filesystem::path end() const { return path_ / "end"; }

  std::filesystem::path path_;
  int lock_ = -1;
  bool keeps_ = false;
};

}  // namespace macareu::tool
