// Errors by cause. Every message is one line: what, where, which values, what to do.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace macareu {

/// what() is "ABOUT: MESSAGE", or the message alone. Front ends that name an operator or a file themselves
/// take the message.
class error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
  /// `told_by` stands before all of it, such as the name of another process.
  error(const std::string& about, const std::string& message, const std::string& told_by = {})
      : std::runtime_error(told_by + (about.empty() ? about : about + ": ") + message),
        begin_(told_by.size()),
        about_(about.size()) {}

  /// What failed: an operator, a program or a file; empty where that does not matter.
  std::string_view about() const noexcept { return std::string_view(what()).substr(begin_, about_); }
  std::string message() const {
    std::string all = what();
    return all.erase(begin_, about_ == 0 ? 0 : about_ + 2);
  }

 protected:
  /// The same error with more text behind it.
  error(const error& before, const std::string& more)
      : std::runtime_error(before.what() + more), begin_(before.begin_), about_(before.about_) {}

 private:
  std::size_t begin_ = 0, about_ = 0;  // of about() in what()
};

/// Invalid use by the caller: shape, type, option or pixel values.
class usage_error : public error {
 public:
  using error::error;
};

/// What is wrong with a call.
enum class fault {
  missing,   ///< a parameter without default, or an image, was not given
  unknown,   ///< there is no such parameter, device or strategy
  value,     ///< a value outside the parameter's domain
  axes,      ///< a value does not fit the number of axes
  conflict,  ///< values that exclude each other
  count,     ///< too few images, or too many
  shape,
  type,
  channels,
  memory,  ///< alignment, overlap, or the wrong GPU
  pixels   ///< pixel values
};

/// A part of a message: text, or a name that every front end spells in its own way, such as clip and --clip.
struct error_part {
  enum class role { words, parameter, input, output };

  error_part(std::string words) : text(std::move(words)) {}
  error_part(const char* words) : text(words) {}
  error_part(role what, std::string_view name) : is(what), text(name) {}

  role is = role::words;
  std::string text;
};

inline error_part parameter_named(std::string_view name) { return {error_part::role::parameter, name}; }
inline error_part input_named(std::string_view name) { return {error_part::role::input, name}; }
inline error_part output_named(std::string_view name) { return {error_part::role::output, name}; }

struct call_problem {
  fault kind;
  std::string operation = {};     ///< the operator's name; empty where it does not matter
  std::vector<error_part> parts;  ///< the message, without the operator's name
  std::string given = {};         ///< the refused value, as text
  std::string allowed = {};       ///< the allowed values

  /// The first parameter, input or output that the message names; nullptr if it names none.
  const error_part* subject() const;
  /// The message; `spelled` gives the text of names.
  std::string text(const std::function<std::string(const error_part&)>& spelled) const;
};

/// A usage error that front ends can reword. what() spells parameters and images as C++ and Python do.
class call_error : public usage_error {
 public:
  /// `told_by`: the process that has the problem, if it is another one. It becomes the first part.
  explicit call_error(call_problem problem, const std::string& told_by = {});

  const call_problem& problem() const noexcept { return *problem_; }

 private:
  std::shared_ptr<const call_problem> problem_;  // so that copies do not throw
};

/// A file is missing, damaged, of an unsupported kind, or cannot be written.
class io_error : public error {
 public:
  using error::error;

 protected:
  io_error(const io_error& before, const std::string& more) : error(before, more) {}
};

/// A file failed in a run in pieces that can be continued. what() says so.
class unfinished_error : public io_error {
 public:
  explicit unfinished_error(const io_error& cause);
  std::string cause() const { return std::string(what(), cause_); }

 private:
  std::size_t cause_;  // its length in what()
};

/// A device is absent, too small, or failed.
class device_error : public error {
 public:
  using error::error;
};

/// A bug in this library: please report it.
class internal_error : public error {
 public:
  using error::error;
};

/// The caller's stop token was set. The contents of output memory are undefined.
class interrupted : public error {
 public:
  interrupted() : error("interrupted") {}
};

}  // namespace macareu
