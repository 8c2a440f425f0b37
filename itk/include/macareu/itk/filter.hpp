// The base of our filters. A filter is a subclass of ITK's class: setters, defaults and outputs are ITK's,
// and Macareu computes the pixels. So a filter can be used by name, and ITK's object factories can substitute
// it.
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

/// Whether ITK's class has an implementation, and not settings alone.
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

  /// auto, serial, cpu, cuda, cuda:N. With auto, inputs that Macareu refuses (NaN) fall back to ITK's code. A
  /// named device computes or throws.
  void SetDevice(const std::string& name) {
    if (device_ == name) return;
    device_ = name;
    this->Modified();
  }
  const std::string& GetDevice() const override { return device_; }

  /// 4, 8, 6, 18 or 26 neighbours instead of FullyConnected. With 0, the default, FullyConnected decides.
  void SetConnectivity(int neighbours) requires knows_neighbours<TStock> {
    if (connectivity_ == neighbours) return;
    connectivity_ = neighbours;
    this->Modified();
  }
  int GetConnectivity() const { return connectivity_; }

 protected:
  Filter() = default;
  ~Filter() override = default;

  /// Fills the allocated outputs, through Input() and Output().
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

  /// A wave may come from anywhere, so all of the inputs and outputs are needed.
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

  /// An input's pixels where the filter computes. Lazy images (image.hpp) may be on the GPU already.
  template <class TImage>
  static const_image_view Input(workplace& at, const TImage* image) {
    if (!at.on_gpu()) return view_of(image);
    const auto* lazy = as_lazy(image);
    if (!lazy) return at.bring(view_of(image));
    if (image->GetBufferedRegion() != image->GetRequestedRegion())
      throw usage_error("the buffered region is larger than the requested region");
    return lazy->DeviceView();
  }

  /// The output's memory. On a GPU its previous pixels are lost.
  image_view Output(workplace& at) {
    auto* output = this->GetOutput();
    if (!at.on_gpu()) return view_of(output);
    auto* lazy = as_lazy(output);
    return lazy ? at.leave_there(*lazy) : at.bring_back(view_of(output));
  }

  /// Runs into the output if it has the operator's result type, else through a temporary image.
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

  /// A mask as numbers 0 and 1. On the host it needs no extra memory: the bytes go to the end of the output's
  /// buffer, and pixels are written from the front. All threads may write the pixels before the first unread
  /// byte.
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
  /// Returns whether it computed. Inputs that Macareu refuses fall back to ITK's code, if it has any.
  bool ComputeUnlessLeftToItk() {
    try {
      try {
        ComputeAt(device_, ComputesOnGpu());
      } catch (const device_error&) {  // such as out of memory: fall back to the host with auto
        if (IsNamed()) throw;
        ComputeAt("cpu", false);  // auto could choose the GPU again
      }
      return true;
    } catch (const usage_error&) {
      if (!has_own_code<TStock> || IsNamed() || connectivity_ != 0) throw;
      return false;
    }
  }

  /// ITK's code would copy them in its own threads, and ITK 5.2 loses exceptions thrown there.
  void BringInputsToHost() {
    for (const auto& name : this->GetInputNames())
      if (const auto* input = as_lazy(this->::itk::ProcessObject::GetInput(name))) input->HostPixels();
  }

  void ComputeAt(const std::string& device, bool on_gpu) {
    workplace at(*this, device, IsNamed(), on_gpu);
    Compute(at);
    at.finish();
  }

  /// For lazy images: whether a GPU is named, or holds the only current copy of an input.
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

/// Base of filters with a finite window. They compute pieces of an image, so pipelines can stream through
/// them. Lazy images are computed as a whole, because the GPU's copy has no regions.
template <class TStock>
class LocalFilter : public Filter<TStock> {
 protected:
  /// Fills `out`, which is contiguous and has the shape of `source`. Outside `source` the border applies.
  virtual void ComputePiece(workplace& at, const_image_view source, image_view out) = 0;

  /// ITK's: the requested region, extended by the window. The upstream filter may enlarge it or buffer more.
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

/// A setter and a getter. Before ITK 5.4, ITK's macros cannot be used in this namespace: they refer to itk,
/// not ::itk.
#define MACAREU_ITK_SETTING(name, type)       \
  virtual void Set##name(const type& value) { \
    if (m_##name == value) return;            \
    m_##name = value;                         \
    this->Modified();                         \
  }                                           \
  virtual const type& Get##name() const { return m_##name; }

/// The declarations of every ITK class. New() bypasses the factories, because they call it.
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
