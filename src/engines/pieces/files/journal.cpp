#include "engines/pieces/files/journal.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fstream>
#include <vector>

#include <macareu/error.hpp>
#include <macareu/pieces.hpp>

#include "engines/pieces/files/file_access.hpp"
#include "engines/pieces/tuning.hpp"

namespace macareu::pieces {
namespace {

struct record_head {
  std::int64_t of, piece;
  std::uint32_t size, check;
};

/// FNV-1a.
std::uint32_t check_of(const record_head& head, const void* bytes) {
  std::uint32_t hash = 2166136261u;
  const auto add = [&](const void* from, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i)
      hash = (hash ^ static_cast<const unsigned char*>(from)[i]) * 16777619u;
  };
  add(&head.of, sizeof head.of);
  add(&head.piece, sizeof head.piece);
  add(&head.size, sizeof head.size);
  add(bytes, head.size);
  return hash;
}

/// "name: value" lines; the first that differs.
std::string difference(const std::string& before, const std::string& now) {
  const auto line = [](const std::string& text, std::size_t at) {
    return text.substr(at, text.find('\n', at) - at);
  };
  for (std::size_t a = 0, b = 0; a < before.size() || b < now.size();) {
    const auto old_line = a < before.size() ? line(before, a) : "",
               new_line = b < now.size() ? line(now, b) : "";
    if (old_line != new_line) return "then '" + old_line + "', now '" + new_line + "'";
    a += old_line.size() + 1, b += new_line.size() + 1;
  }
  return {};
}

/// Other where a machine was started anew, and on other machines. Empty where the system does not tell.
std::string machine_since_its_start() {
  std::string name;
  std::getline(std::ifstream("/proc/sys/kernel/random/boot_id"), name);
  return name;
}

}  // namespace

journal::~journal() {
  syncing_ = {};
  if (descriptor_ >= 0) ::close(descriptor_);
  for (const auto descriptor : others_) ::close(descriptor);
}

void journal::open(const std::filesystem::path& file, const std::string& description, bool resume,
                   const std::vector<std::filesystem::path>& others) {
  for (const auto& other : others) {
    others_.push_back(::open(other.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
    if (others_.back() < 0) throw io_error(other.string(), std::strerror(errno));
    load(others_.back(), other, description);
  }
  descriptor_ =
      ::open(file.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | (resume ? 0 : O_TRUNC), 0600);
  if (descriptor_ < 0) throw io_error(file.string(), std::strerror(errno));
  bool is_cut = false;
  if (resume) {
    const auto own = load(descriptor_, file, description);
    end_ = own.end;
    is_cut = own.is_elsewhere;
    // Records behind a damaged one would come back when it is written again.
    if (::ftruncate(descriptor_, end_) != 0) throw io_error(file.string(), std::strerror(errno));
  } else {
    // At once: a journal that a kill leaves is empty, or has its description.
    const auto size = static_cast<std::uint64_t>(description.size());
    const auto head = std::string(reinterpret_cast<const char*>(&size), sizeof size) + description;
    write_all(descriptor_, head.data(), head.size(), 0, file);
    end_ = static_cast<std::int64_t>(head.size());
  }
  const auto machine = machine_since_its_start();
  record(began, 0, std::as_bytes(std::span(machine)));
  if (!trusts_files_) record(lost_files, 0);
  if (is_cut) record(durable, 0, std::as_bytes(std::span(&end_, 1)));  // what was not is cut off
  syncing_ = std::jthread([this](std::stop_token stop) { sync_now_and_then(std::move(stop)); });
}

void journal::sync_now_and_then(std::stop_token stop) {
  std::mutex none;
  std::unique_lock lock(none);
  while (!stop.stop_requested()) {
    ends_.wait_for(lock, stop, std::chrono::seconds(tuning::seconds_between_syncs), [] { return false; });
    if (!stop.stop_requested()) sync();
  }
}

bool journal::sync() {
  std::int64_t end = 0, records = 0;
  {
    const std::lock_guard lock(guard_);
    end = end_;
    records = not_durable_;
  }
  if (records == 0) return true;
  if (::syncfs(descriptor_) != 0) return false;  // records of what was lost are not durable
  if (!note(durable, std::as_bytes(std::span(&end, 1)))) return false;
  const std::lock_guard lock(guard_);
  not_durable_ -= records + 1;
  return true;
}

bool journal::note(std::int64_t of, std::span<const std::byte> bytes) {
  try {
    record(of, 0, bytes);
    return true;
  } catch (const io_error&) {
    return false;
  }
}

void journal::stop() {
  if (is_open() && sync()) note(stopped);
}

journal::loaded journal::load(int descriptor, const std::filesystem::path& file,
                              const std::string& description) {
  constexpr std::uint64_t longest = 1 << 20;
  struct stat about {};
  ::fstat(descriptor, &about);
  const auto bytes = static_cast<std::int64_t>(about.st_size);
  std::uint64_t size = 0;
  if (bytes < static_cast<std::int64_t>(sizeof size)) throw unresumable_error(file.string() + " is empty");
  read_all(descriptor, &size, sizeof size, 0, file);
  if (size > longest || static_cast<std::int64_t>(size + sizeof size) > bytes)
    throw unresumable_error(file.string() + " is damaged");
  std::string before(size, ' ');
  read_all(descriptor, before.data(), size, sizeof size, file);
  if (const auto differs = difference(before, description); !differs.empty())
    throw unresumable_error("the unfinished run was another one: " + differs);
  const auto begin = static_cast<std::int64_t>(sizeof size + size);
  auto end = begin, durable_end = begin;
  std::string machine;
  bool has_stopped = false, has_lost_files = false;
  std::vector<char> content;
  std::map<std::pair<std::int64_t, std::int64_t>, place> found;
  for (record_head head{}; end + static_cast<std::int64_t>(sizeof head) <= bytes;) {
    read_all(descriptor, &head, sizeof head, end, file);
    const auto from = end + static_cast<std::int64_t>(sizeof head);
    if (from + head.size > bytes) break;
    content.resize(head.size);
    read_all(descriptor, content.data(), head.size, from, file);
    if (head.check != check_of(head, content.data())) break;
    end = from + head.size;
    has_stopped = head.of == stopped;
    has_lost_files |= head.of == lost_files;
    if (head.of == began)
      machine.assign(content.begin(), content.end());
    else if (head.of == durable && content.size() == sizeof durable_end)
      std::memcpy(&durable_end, content.data(), sizeof durable_end);
    else if (!has_stopped && head.of != lost_files)
      found[{head.of, head.piece}] = {descriptor, from, head.size};
  }
  const bool is_elsewhere = machine != machine_since_its_start();
  if (is_elsewhere && !has_stopped) {
    end = std::clamp(durable_end, begin, end);
    std::erase_if(found, [&](const auto& record) { return record.second.offset >= end; });
    has_lost_files = true;
  }
  trusts_files_ = trusts_files_ && !has_lost_files;
  found.merge(records_);
  records_ = std::move(found);
  return {end, is_elsewhere};
}

void journal::record(std::int64_t of, std::int64_t piece, std::span<const std::byte> bytes) {
  if (!is_open()) return;
  record_head head{of, piece, static_cast<std::uint32_t>(bytes.size()), 0};
  head.check = check_of(head, bytes.data());
  std::vector<std::byte> whole(sizeof head + bytes.size());
  std::memcpy(whole.data(), &head, sizeof head);
  if (!bytes.empty()) std::memcpy(whole.data() + sizeof head, bytes.data(), bytes.size());
  const std::lock_guard lock(guard_);
  write_all(descriptor_, whole.data(), whole.size(), end_, "journal of pieces");
  records_[{of, piece}] = {descriptor_, end_ + static_cast<std::int64_t>(sizeof head), head.size};
  end_ += static_cast<std::int64_t>(whole.size());
  ++not_durable_;
}

bool journal::has(std::int64_t of, std::int64_t piece) const {
  const std::lock_guard lock(guard_);
  return records_.contains({of, piece});
}

std::optional<std::string> journal::recall(std::int64_t of, std::int64_t piece) const {
  const std::lock_guard lock(guard_);
  const auto found = records_.find({of, piece});
  if (found == records_.end()) return std::nullopt;
  std::string bytes(found->second.size, '\0');
  read_all(found->second.descriptor, bytes.data(), bytes.size(), found->second.offset, "journal of pieces");
  return bytes;
}

}  // namespace macareu::pieces
