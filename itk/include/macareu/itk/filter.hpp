// What our filters have in common. A filter is a subclass of ITK's own class: its setters, defaults and
// outputs are ITK's, only the pixels come from Macareu. So a filter can be used by its name, and ITK's object
// factories can put it in the place of the stock class.
#pragma once

#include <exception>
#include <new>
#include <string>
#include <vector>

#include <macareu/error.hpp>
#include <macareu/itk/run.hpp>
#include <macareu/itk/views.hpp>

namespace macareu::itk {

template <class TStock>
concept knows_neighbours = requires(const TStock& stock) {
  stock.GetFullyConnected();
};

/// Whether ITK has code for it; a class of settings alone says no.
template <class TStock>
inline constexpr bool has_own_code = !requires {
  typename TStock::SettingsOnly;
};

template <class TStock>
class Filter : public TStock {
 public:
  ITK_DISALLOW_COPY_AND_MOVE(Filter);
  using Self = Filter;
  using Superclass = TStock;
  using Pointer = ::itk::SmartPointer<Self>;
  using ConstPointer = ::itk::SmartPointer<const Self>;

  /// auto, serial, cpu, cuda, cuda:N. With auto, what Macareu refuses (NaN) is left to ITK's own code; a
  /// device that is named serves or throws.
  void SetDevice(const std::string& name) {
    if (device_ == name) return;
    device_ = name;
    this->Modified();
  }
  const std::string& GetDevice() const { return device_; }

  /// 4, 8, 6, 18 or 26 neighbours in place of FullyConnected; 0, the default: FullyConnected decides.
  void SetConnectivity(int neighbours) requires knows_neighbours<TStock> {
    if (connectivity_ == neighbours) return;
    connectivity_ = neighbours;
    this->Modified();
  }
  int GetConnectivity() const { return connectivity_; }

 protected:
  Filter() = default;
  ~Filter() override = default;

  /// Fills the outputs, which have been allocated.
  virtual void Compute() = 0;

  void GenerateData() override {
    this->AllocateOutputs();
    try {
      Compute();
      this->UpdateProgress(1.0F);
    } catch (const usage_error& refusal) {
      if constexpr (has_own_code<TStock>) {
        if (device_ == "auto" && connectivity_ == 0) return TStock::GenerateData();
      }
      throw_as_itk(*this, refusal.what());
    } catch (const error& failure) {
      throw_as_itk(*this, failure.what());
    } catch (const std::bad_alloc&) {
      throw_as_itk(*this, "not enough memory");
    }
  }

  /// A wave may come from anywhere: all of the inputs, all of the output.
  void GenerateInputRequestedRegion() override {
    TStock::GenerateInputRequestedRegion();
    for (const auto& name : this->GetInputNames())
      if (auto* input = this->::itk::ProcessObject::GetInput(name))
        input->SetRequestedRegionToLargestPossibleRegion();
  }
  void EnlargeOutputRequestedRegion(::itk::DataObject* output) override {
    TStock::EnlargeOutputRequestedRegion(output);
    output->SetRequestedRegionToLargestPossibleRegion();
  }

  macareu::connectivity Neighbours() const {
    if (connectivity_ != 0) return {connectivity_};
    return this->GetFullyConnected() ? macareu::connectivity::full : macareu::connectivity::face;
  }

  run_report Run(std::string_view name, const std::vector<const_image_view>& inputs, const image_view& out,
                 const arguments& given, step part = {}) {
    const std::vector<image_view> outputs{out};
    return run(*this, device_, name, inputs, outputs, given, part);
  }

  /// Runs into the output where it has the type that the operator gives, else beside it, and converts. Lazy
  /// images (image.hpp) stay on a GPU where one computes.
  template <class TResult, class... TInput>
  void RunConverted(std::string_view name, const arguments& given, const TInput*... images) {
    using output_image = typename TStock::OutputImageType;
    using pixel = typename output_image::PixelType;
    auto* output = this->GetOutput();
    if constexpr (dtype_of<TResult> == dtype_of<pixel> && is_lazy<output_image> && (is_lazy<TInput> && ...)) {
      if (device_.starts_with("cuda") || (device_ == "auto" && (images->IsOnDevice() || ...))) {
        Run(name, {images->DeviceView()...}, output->DeviceOutput(), given);
        output->DeviceWasWritten();
        return;
      }
    }
    const std::vector<const_image_view> inputs{view_of(images)...};
    if constexpr (dtype_of<TResult> == dtype_of<pixel>) {
      Run(name, inputs, view_of(output), given);
    } else {
      image result(dtype_of<TResult>, inputs.front().shape());
      Run(name, inputs, result, given);
      Fill<TResult>(result, [](TResult value) { return static_cast<pixel>(value); });
    }
  }

  /// A mask, without memory besides the output: its bytes come to the end of the output's buffer, and pixels
  /// are written from the front. Those before the first byte that is still to be read can be written by all
  /// threads.
  void RunMask(std::string_view name, const std::vector<const_image_view>& inputs, const arguments& given) {
    using pixel = typename TStock::OutputImageType::PixelType;
    const auto out = view_of(this->GetOutput());
    const auto count = out.shape().pixels();
    auto* const to = this->GetOutput()->GetBufferPointer();
    auto* const bytes = reinterpret_cast<std::uint8_t*>(to + count) - count;
    Run(name, inputs, image_view(bytes, dtype::boolean, out.shape(), contiguous_strides(out.shape())), given);
    constexpr std::int64_t size = sizeof(pixel), few = 4096;
    const auto write = [=](std::int64_t first, std::int64_t last) {
      for (auto i = first; i < last; ++i) to[i] = static_cast<pixel>(bytes[i]);
    };
    std::int64_t done = 0;
    while (size > 1 && count - done > few) {
      const auto free = ((size - 1) * count + done) / size;
      in_parallel(*this, free - done,
                  [&](std::int64_t first, std::int64_t last) { write(done + first, done + last); });
      done = free;
    }
    write(done, count);
  }

  /// value(p) for every pixel p of the input. The input is buffered as a whole.
  template <class TValue, class Value>
  image Mapped(const Value& value) {
    const auto* from = pixels_of(this->GetInput());
    if (this->GetInput()->GetBufferedRegion() != this->GetInput()->GetRequestedRegion())
      throw usage_error("the buffer holds more than the image");
    image values(dtype_of<TValue>, view_of(this->GetInput()).shape());
    const auto to = values.template pixels<TValue>();
    in_parallel(*this, static_cast<std::int64_t>(to.size()), [&](std::int64_t first, std::int64_t last) {
      for (auto i = first; i < last; ++i) to[static_cast<std::size_t>(i)] = value(from[i]);
    });
    return values;
  }

  /// Which pixels of the input have a property.
  template <class Property>
  image Where(const Property& property) {
    return Mapped<bool>(property);
  }

  /// output(p) = value(result(p)); both are contiguous.
  template <class TResult, class Value>
  void Fill(const image& result, const Value& value) {
    const auto from = result.template pixels<TResult>();
    auto* to = this->GetOutput()->GetBufferPointer();
    in_parallel(*this, static_cast<std::int64_t>(from.size()), [&](std::int64_t first, std::int64_t last) {
      for (auto i = first; i < last; ++i) to[i] = value(from[static_cast<std::size_t>(i)]);
    });
  }

 private:
  std::string device_ = "auto";
  int connectivity_ = 0;
};

/// A setter and a getter. ITK's own macros can be used in this namespace from 5.4 on: before, they said itk
/// and not ::itk.
#define MACAREU_ITK_SETTING(name, type)       \
  virtual void Set##name(const type& value) { \
    if (m_##name == value) return;            \
    m_##name = value;                         \
    this->Modified();                         \
  }                                           \
  virtual const type& Get##name() const { return m_##name; }

/// The declarations that every class of ITK has. New() asks no factory: it is what factories call.
#define MACAREU_ITK_FILTER(name)                                                            \
 public:                                                                                    \
  ITK_DISALLOW_COPY_AND_MOVE(name);                                                         \
  using Self = name;                                                                        \
  using Pointer = ::itk::SmartPointer<Self>;                                                \
  using ConstPointer = ::itk::SmartPointer<const Self>;                                     \
  static Pointer New() {                                                                    \
    Pointer made = new Self;                                                                \
    made->UnRegister();                                                                     \
    return made;                                                                            \
  }                                                                                         \
  ::itk::LightObject::Pointer CreateAnother() const override { return New().GetPointer(); } \
                                                                                            \
 protected:                                                                                 \
  name() = default;                                                                         \
  ~name() override = default;

}  // namespace macareu::itk
