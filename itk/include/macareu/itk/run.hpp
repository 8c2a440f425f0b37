// Runs an operator of the catalogue on behalf of an ITK filter. Shared by all filters, compiled once.
#pragma once

#include <cstdint>
#include <functional>
#include <new>
#include <span>
#include <string>
#include <string_view>

#include <itkProcessObject.h>

#include <macareu/catalogue.hpp>
#include <macareu/error.hpp>

namespace macareu::itk {

/// The part of a filter's progress that a step covers.
struct step {
  double from = 0;
  double to = 1;
};

/// A filter whose user can name a device.
class has_device {
 public:
  virtual const std::string& GetDevice() const = 0;

 protected:
  ~has_device() = default;
};

/// Progress becomes ProgressEvents. A filter whose AbortGenerateData is set throws ::itk::ProcessAborted. The
/// number of threads is the filter's work units, limited by ITK's global maximum. Throws errors of Macareu.
run_report run(::itk::ProcessObject& filter, const std::string& device, std::string_view name,
               std::span<const const_image_view> inputs, std::span<const image_view> outputs,
               const arguments& given, step part = {});

/// The same of an operator that gives a table. No progress is told.
table tabulate(::itk::ProcessObject& filter, const std::string& device, std::string_view name,
               std::span<const const_image_view> inputs, const arguments& given);

/// body(first, last) for parts of 0..count, on ITK's threads; in one part where the filter's device is
/// serial.
void in_parallel(::itk::ProcessObject& filter, std::int64_t count,
                 const std::function<void(std::int64_t, std::int64_t)>& body);

/// The same in rounds. Each round reports progress, and throws ::itk::ProcessAborted if AbortGenerateData is
/// set. `pixels` per part determines the number of rounds.
void in_rounds(::itk::ProcessObject& filter, step part, std::int64_t count, std::int64_t pixels,
               const std::function<void(std::int64_t, std::int64_t)>& body);

/// Throws an ITK exception with the class name of the filter or image.
[[noreturn]] void throw_as_itk(const ::itk::LightObject& whose, const std::string& what);

/// For functions called by ITK programs, which catch exceptions of ITK, not ours.
template <class Work>
auto with_errors_of_itk(const ::itk::LightObject& whose, const Work& work) {
  try {
    return work();
  } catch (const error& failure) {
    throw_as_itk(whose, failure.what());
  } catch (const std::bad_alloc&) {
    throw_as_itk(whose, "not enough memory");
  }
}

}  // namespace macareu::itk
