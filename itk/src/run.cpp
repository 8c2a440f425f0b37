#include "macareu/itk/run.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <stop_token>
#include <vector>

#include <itkMultiThreaderBase.h>

#include <macareu/error.hpp>

namespace macareu::itk {
namespace {

int threads_of(::itk::ProcessObject& filter) {
  const auto* chosen = dynamic_cast<const has_device*>(&filter);
  if (chosen && chosen->GetDevice() == "serial") return 1;
  return static_cast<int>(
      std::min(filter.GetNumberOfWorkUnits(), filter.GetMultiThreader()->GetMaximumNumberOfThreads()));
}

[[noreturn]] void throw_aborted(const ::itk::ProcessObject& filter) {
  ::itk::ProcessAborted aborted(__FILE__, __LINE__);
  aborted.SetDescription(std::string(filter.GetNameOfClass()) + ": AbortGenerateData was set");
  throw aborted;
}

const operator_description& operator_named(std::string_view name) {
  const auto* about = find_operator(name);
  if (!about) throw usage_error("the library has no operator " + std::string(name));
  return *about;
}

/// What the library refuses is refused before progress is told.
void check(const operator_description& about, std::span<const const_image_view> inputs,
           const arguments& given, const context& how) {
  std::vector<image_form> forms(inputs.size());
  std::ranges::transform(inputs, forms.begin(), &form_of);
  validate(about, forms, given, how);
}

template <class Work>
run_report for_filter(::itk::ProcessObject& filter, const std::string& device, step part, const Work& work) {
  std::stop_source stop;
  std::exception_ptr thrown;  // by an observer: it must not propagate through the library's threads
  run_report report;
  context how;
  how.report = &report;
  how.device = device;
  how.threads = threads_of(filter);
  how.stop = stop.get_token();
  how.progress = [&](double done) {
    try {
      if (part.from < part.to)
        filter.UpdateProgress(static_cast<float>(part.from + done * (part.to - part.from)));
    } catch (...) {
      if (!thrown) thrown = std::current_exception();
    }
    if (thrown || filter.GetAbortGenerateData()) stop.request_stop();
  };
  try {
    work(how);
  } catch (const interrupted&) {  // said below
  }
  if (thrown) std::rethrow_exception(thrown);
  if (stop.stop_requested()) throw_aborted(filter);
  return report;
}

}  // namespace

run_report run(::itk::ProcessObject& filter, const std::string& device, std::string_view name,
               std::span<const const_image_view> inputs, std::span<const image_view> outputs,
               const arguments& given, step part) {
  const auto& about = operator_named(name);
  return for_filter(filter, device, part, [&](const context& how) {
    check(about, inputs, given, how);
    run_operator(about, inputs, outputs, given, how);
  });
}

table tabulate(::itk::ProcessObject& filter, const std::string& device, std::string_view name,
               std::span<const const_image_view> inputs, const arguments& given) {
  table found;
  const auto& about = operator_named(name);
  for_filter(filter, device, {0, 0}, [&](const context& how) {
    check(about, inputs, given, how);
    found = compute_table(about, inputs, given, how);
  });
  return found;
}

void in_parallel(::itk::ProcessObject& filter, std::int64_t count,
                 const std::function<void(std::int64_t, std::int64_t)>& body) {
  const std::int64_t parts = std::min<std::int64_t>(count, threads_of(filter));
  if (parts <= 1) return body(0, count);
  std::atomic_flag has_thrown;
  std::exception_ptr thrown;  // ITK 5.2 loses exceptions of its threads
  filter.GetMultiThreader()->ParallelizeArray(
      0, static_cast<::itk::SizeValueType>(parts),
      [&](::itk::SizeValueType part) {
        const auto at = static_cast<std::int64_t>(part);
        try {
          body(count * at / parts, count * (at + 1) / parts);
        } catch (...) {
          if (!has_thrown.test_and_set()) thrown = std::current_exception();
        }
      },
      nullptr);
  if (thrown) std::rethrow_exception(thrown);
}

void in_rounds(::itk::ProcessObject& filter, step part, std::int64_t count, std::int64_t pixels,
               const std::function<void(std::int64_t, std::int64_t)>& body) {
  constexpr std::int64_t pixels_a_round = 1 << 20, most = 8;
  const auto rounds = std::clamp<std::int64_t>(count * pixels / pixels_a_round, 1, most);
  for (std::int64_t round = 0; round < rounds; ++round) {
    const auto from = count * round / rounds, to = count * (round + 1) / rounds;
    in_parallel(filter, to - from,
                [&](std::int64_t first, std::int64_t last) { body(from + first, from + last); });
    const double done = static_cast<double>(round + 1) / static_cast<double>(rounds);
    filter.UpdateProgress(static_cast<float>(part.from + done * (part.to - part.from)));
    if (filter.GetAbortGenerateData()) throw_aborted(filter);
  }
}

void throw_as_itk(const ::itk::LightObject& whose, const std::string& what) {
  throw ::itk::ExceptionObject(__FILE__, __LINE__, std::string(whose.GetNameOfClass()) + ": " + what);
}

}  // namespace macareu::itk
