// What our filters have in common. A filter is a subclass of ITK's own class: its setters, defaults and
// outputs are ITK's, only the pixels come from Macareu. So a filter can be used by its name, and ITK's object
// factories can put it in the place of the stock class.
#pragma once

#include <algorithm>
#include <cstdint>
#include <ostream>
#include <string>

#include <macareu/error.hpp>
#include <macareu/itk/run.hpp>
#include <macareu/itk/views.hpp>
#include <macareu/itk/workplace.hpp>

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
class Filter : public TStock, public has_device {
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
  const std::string& GetDevice() const override { return device_; }

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

  /// Fills the outputs, which have been allocated, by Input() and Output().
  virtual void Compute(workplace& at) = 0;

  void GenerateData() override {
    this->AllocateOutputs();
    with_errors_of_itk(*this, [this] {
      if (ComputeUnlessLeftToItk()) return this->UpdateProgress(1.0F);
      if constexpr (has_own_code<TStock>) {
        BringInputsToHost();
        TStock::GenerateData();
      }
    });
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

  void PrintSelf(std::ostream& out, ::itk::Indent indent) const override {
    TStock::PrintSelf(out, indent);
    out << indent << "Device: " << device_ << '\n';
    if constexpr (knows_neighbours<TStock>) out << indent << "Connectivity: " << connectivity_ << '\n';
  }

  macareu::connectivity Neighbours() const {
    if (connectivity_ != 0) return {connectivity_};
    return this->GetFullyConnected() ? macareu::connectivity::full : macareu::connectivity::face;
  }

  /// An input's pixels where the filter computes. Lazy images (image.hpp) may be there already.
  template <class TImage>
  static const_image_view Input(workplace& at, const TImage* image) {
    if (!at.on_gpu()) return view_of(image);
    const auto* lazy = as_lazy(image);
    if (!lazy) return at.bring(view_of(image));
    if (image->GetBufferedRegion() != image->GetRequestedRegion())
      throw usage_error("the buffer holds more than the image");
    return lazy->DeviceView();
  }

  /// Room for the output's pixels. On a GPU those that were there are lost.
  image_view Output(workplace& at) {
    auto* output = this->GetOutput();
    if (!at.on_gpu()) return view_of(output);
    auto* lazy = as_lazy(output);
    return lazy ? at.leave_there(*lazy) : at.bring_back(view_of(output));
  }

  /// Runs into the output where it has the type that the operator gives, else beside it, and converts.
  void RunConverted(workplace& at, std::string_view name, std::initializer_list<const_image_view> inputs,
                    dtype result, const arguments& given) {
    RunConverted(at, name, inputs, result, given, Output(at));
  }
  static void RunConverted(workplace& at, std::string_view name,
                           std::initializer_list<const_image_view> inputs, dtype result,
                           const arguments& given, const image_view& out) {
    if (result == out.type()) {
      at.run(name, inputs, out, given);
    } else {
      auto found = at.room_for(result, inputs.begin()->shape());
      at.run(name, inputs, found, given);
      at.convert(found, out);
    }
  }

  /// A mask as numbers 0 and 1, which pixels of one byte hold as bool images do.
  void RunMask(workplace& at, std::string_view name, const const_image_view& input, const arguments& given) {
    const auto out = Output(at);
    if (size_of(out.type()) == 1)
      return static_cast<void>(
          at.run(name, {input}, image_view(out.data(), dtype::boolean, out.shape(), out.steps()), given));
    auto mask = at.room_for(dtype::boolean, out.shape());
    at.run(name, {input}, mask, given);
    at.choose(mask, 1, 0, out);
  }

 private:
  /// Whether it computed: what Macareu refuses is for ITK's own code, where that can do it.
  bool ComputeUnlessLeftToItk() {
    try {
      try {
        ComputeAt(device_, ComputesOnGpu());
      } catch (const device_error&) {  // as out of memory: whoever named no device can do without a GPU
        if (IsNamed()) throw;
        ComputeAt("cpu", false);  // auto could choose the GPU again
      }
      return true;
    } catch (const usage_error&) {
      if (!has_own_code<TStock> || IsNamed() || connectivity_ != 0) throw;
      return false;
    }
  }

  /// ITK's code would copy them in its own threads, and ITK 5.2 loses the exceptions of those.
  void BringInputsToHost() {
    for (const auto& name : this->GetInputNames())
      if (const auto* input = as_lazy(this->::itk::ProcessObject::GetInput(name))) input->HostPixels();
  }

  void ComputeAt(const std::string& device, bool on_gpu) {
    workplace at(*this, device, IsNamed(), on_gpu);
    Compute(at);
    at.finish();
  }

  /// For lazy images: where a GPU is named, or one has the only copy of an input.
  bool ComputesOnGpu() {
    bool any = as_lazy(this->GetOutput()) != nullptr, there = false;
    for (const auto& name : this->GetInputNames())
      if (const auto* input = as_lazy(this->::itk::ProcessObject::GetInput(name))) {
        any = true;
        there = there || input->IsOnDevice();
      }
    return any && (device_.starts_with("cuda") || (!IsNamed() && there));
  }
  bool IsNamed() const { return device_ != "auto"; }

  std::string device_ = "auto";
  int connectivity_ = 0;
};

/// Of filters whose pixels come from near: they compute pieces of an image, so a pipeline can be streamed
/// through them. Lazy images are computed as a whole: a GPU holds all of one, or nothing.
template <class TStock>
class LocalFilter : public Filter<TStock> {
 protected:
  /// Fills `out`, which has the shape of `source` and no gaps. Outside of `source` there is the border.
  virtual void ComputePiece(workplace& at, const_image_view source, image_view out) = 0;

  /// ITK's own: what is asked for, and the pixels that its window reaches. Whatever is before us may be asked
  /// for more, or have more.
  void GenerateInputRequestedRegion() override {
    TStock::GenerateInputRequestedRegion();
    if (const auto* input = this->GetInput()) reach_ = input->GetRequestedRegion();
  }
  void EnlargeOutputRequestedRegion(::itk::DataObject* output) override {
    TStock::EnlargeOutputRequestedRegion(output);
    if (as_lazy(output) || as_lazy(this->::itk::ProcessObject::GetPrimaryInput()))
      output->SetRequestedRegionToLargestPossibleRegion();
  }

  void Compute(workplace& at) final {
    const auto asked = this->GetOutput()->GetRequestedRegion();
    if (at.on_gpu()) return ComputePiece(at, this->Input(at, this->GetInput()), this->Output(at));
    const auto source = view_of(this->GetInput(), reach_);
    if (reach_ == asked) return ComputePiece(at, source, this->Output(at));
    auto room = at.room_for(dtype_of<Pixel>, source.shape());
    ComputePiece(at, source, room);
    const image_view whole = room;
    const auto out = this->Output(at);
    at.convert({static_cast<const Pixel*>(whole.data()) + OffsetInReach(asked.GetIndex()), whole.type(),
                out.shape(), whole.steps()},
               out);
  }

 private:
  using Pixel = typename TStock::OutputImageType::PixelType;
  using Region = typename TStock::OutputImageType::RegionType;

  /// Of a pixel in an image of all that is reached.
  std::int64_t OffsetInReach(const typename Region::IndexType& pixel) const {
    std::int64_t at = 0, step = 1;
    for (unsigned axis = 0; axis < Region::ImageDimension; ++axis) {
      at += step * (pixel[axis] - reach_.GetIndex(axis));
      step *= static_cast<std::int64_t>(reach_.GetSize(axis));
    }
    return at;
  }

  typename TStock::InputImageType::RegionType reach_;
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
