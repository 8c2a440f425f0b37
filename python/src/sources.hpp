// Images that calls read and write in pieces: files, and Python objects with a shape, a type and slices.
#pragma once

#include <pybind11/pybind11.h>

#include <filesystem>
#include <memory>
#include <mutex>
#include <string>

#include <macareu/sources.hpp>

namespace macareu::python {

namespace py = pybind11;

/// A file opened for reading. Several threads of Python may use it, sources are for one.
class file_image {
 public:
  file_image(const std::string& file, int level);

  const image_source& source() const { return *source_; }
  void read(const image_region& from, void* to) {
    const std::lock_guard lock(reading_);
    source_->read(from, to);
  }

 private:
  std::unique_ptr<image_source> source_;
  std::mutex reading_;
};

/// From a file_image, which must outlive the source, or from an object that is sliced. Throws TypeError
/// or ValueError for objects that are no image. in_colour: the last of three axes has the colours.
std::unique_ptr<image_source> source_from(py::handle image, bool in_colour = false);

/// From the name of a file, or an object to whose slices pixels are assigned. Work files of formats that need
/// them go to `scratch`. Throws ValueError if the object does not have the form.
std::unique_ptr<image_sink> sink_from(py::handle place, const source_form& form,
                                      const std::filesystem::path& scratch);

/// The sizes that an array with this form has. Colours have an axis of their own, the last.
py::tuple sizes_of(const source_form& form);

}  // namespace macareu::python
