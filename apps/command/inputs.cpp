#include "inputs.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <limits>
#include <utility>

#include <macareu/catalogue.hpp>
#include <macareu/error.hpp>

#include "text.hpp"

namespace macareu::tool {
namespace {

constexpr auto largest = std::numeric_limits<std::int64_t>::max();

bool may_be_raw(const std::string& file) {
  const auto extension = std::filesystem::path(file).extension();
  return extension.empty() || extension == ".raw" || extension == ".RAW";
}

/// From the first three channels, on the cpu: the image is in host memory.
image luminance(const const_image_view& colour) {
  const std::array channels{colour.channel(0), colour.channel(1), colour.channel(2)};
  return std::move(run_operator(*find_operator("luminance"), channels, {}, {.device = "cpu"})[0]);
}

std::string channel_from(const std::string& text) {
  const bool number = !text.empty() && text.size() < 10 &&
                      std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
  if (!number && text != "luminance")
    throw usage_error("--channel: expected a number, counted from 0, or luminance, got " + in_quotes(text));
  return text;
}

/// A channel of a colour image, or its luminance.
class one_channel final : public image_source {
 public:
  one_channel(std::unique_ptr<image_source> all, std::optional<int> channel)
      : all_(std::move(all)), channel_(channel), form_(all_->form()) {
    form_.channels = 1;
  }
  const source_form& form() const override { return form_; }
  std::array<std::int64_t, 3> chunk() const override { return all_->chunk(); }
  std::string identity() const override {
    const auto of = all_->identity();
    return of.empty() ? of : of + ", channel " + (channel_ ? std::to_string(*channel_) : "luminance");
  }
  void read(const image_region& from, void* to) override {
    image every(form_.type, extents{from.size[0] * from.size[1], from.size[2]}, all_->form().channels);
    all_->read(from, every.data());
    const const_image_view view = every;
    const auto grey = channel_ ? copy_of(view.channel(*channel_)) : luminance(view);
    std::memcpy(to, grey.data(), grey.bytes());
  }

 private:
  std::unique_ptr<image_source> all_;
  std::optional<int> channel_;
  source_form form_;
};

}  // namespace

void input_options::add_to(parser& options) {
  const auto raw = [&](const char* name, const char* value, const char* help, auto set) {
    options.add({.group = "Reading files",
                 .names = name,
                 .value = value,
                 .help = help,
                 .take = [this, name, set](const std::string& text) {
                   raw_options_.push_back(name);
                   set(text);
                 }});
  };
  raw("--shape", "Z,Y,X", "shape of a .raw file: ROWS,COLUMNS or SLICES,ROWS,COLUMNS",
      [this](const std::string& text) {
        raw_.shape = shape_from("--shape", text);
        has_shape_ = true;
      });
  raw("--dtype", "TYPE",
      "pixel type of a .raw file: bool, i8, u8, i16, u16, i32, u32, i64, u64, f32 or f64 (default: u8)",
      [this](const std::string& text) { raw_.type = type_from("--dtype", text); });
  raw("--offset", "BYTES", "bytes before the pixels of a .raw file (default: 0)",
      [this](const std::string& text) {
        raw_.offset = static_cast<std::uint64_t>(whole_number("--offset", text, 0, largest));
      });
  raw("--endian", "little|big", "byte order of a .raw file (default: little)",
      [this](const std::string& text) {
        const bool big = choice_from("--endian", text, "little|big") == "big";
        raw_.order = big ? raw_layout::byte_order::big : raw_layout::byte_order::little;
      });
  options.add({.group = "Reading files",
               .names = "--level",
               .value = "N",
               .help = "level of a slide or pyramid; 0 is the largest (default: 0)",
               .take = [this](const std::string& text) {
                 level_ = static_cast<int>(whole_number("--level", text, 0, 100));
               }});
  options.add({.group = "Reading files",
               .names = "--channels",
               .value = "last",
               .help = "the last axis of a .npy file holds channels: 3 axes are a colour image, not a volume",
               .take = [this](const std::string& text) {
                 channels_last_ = choice_from("--channels", text, "last") == "last";
               }});
}

void input_options::add_channel_to(parser& options) {
  options.add(
      {.group = "Reading files",
       .names = "--channel",
       .value = "N|luminance",
       .help =
           "take channel N of a colour image, counted from 0, or its luminance: 0.299 red + 0.587 green + "
           "0.114 blue, in the same type, integers rounded to the nearest",
       .take = [this](const std::string& text) { channel_ = channel_from(text); }});
}

read_options input_options::how_to_read(const std::string& file) const {
  if (!describe_raw() && lower(std::filesystem::path(file).extension().string()) == ".raw")
    throw io_error(
        file, "a raw file has no header: give --shape and --dtype, and --offset and --endian where needed");
  read_options how{.channels_last = channels_last_, .level = level_};
  if (describe_raw()) how.raw = raw_;
  return how;
}

image_file input_options::read(const std::string& file) const { return read_image(file, how_to_read(file)); }

std::optional<int> input_options::wanted_channel(const std::string& file, int channels) const {
  const auto has = file + " has " + std::to_string(channels) + (channels == 1 ? " channel" : " channels");
  if (!channel_) {
    if (channels > 1)
      throw usage_error(has + ", a grey image is needed: take one with --channel 0 to " +
                        std::to_string(channels - 1) +
                        (channels >= 3 ? ", or make it grey with --channel luminance" : ""));
    return 0;
  }
  if (*channel_ == "luminance") {
    if (channels == 2) throw usage_error(has + ", and luminance needs red, green and blue: use --channel 0");
    return channels >= 3 ? std::nullopt : std::optional(0);
  }
  const auto index = std::stoi(*channel_);
  if (index >= channels) throw usage_error(has + ", counted from 0: there is no channel " + *channel_);
  return index;
}

image_file input_options::read_grey(const std::string& file) const {
  auto all = read(file);
  const auto channel = wanted_channel(file, all.pixels.channels());
  const const_image_view every = all.pixels;
  if (!channel)
    all.pixels = luminance(every);
  else if (every.channels() > 1)
    all.pixels = copy_of(every.channel(*channel));
  return all;
}

std::unique_ptr<image_source> input_options::open_grey(const std::string& file,
                                                       const std::filesystem::path& scratch) const {
  auto all = open_source(file, how_to_read(file), scratch);
  const auto channel = wanted_channel(file, all->form().channels);
  if (all->form().channels == 1) return all;
  return std::make_unique<one_channel>(std::move(all), channel);
}

std::unique_ptr<image_source> input_options::open_grey_or_colour(const std::string& file,
                                                                 const std::filesystem::path& scratch) const {
  return channel_ ? open_grey(file, scratch) : open_source(file, how_to_read(file), scratch);
}

image_file input_options::read_grey_or_colour(const std::string& file) const {
  return channel_ ? read_grey(file) : read(file);
}

void input_options::check(const std::vector<std::string>& files) const {
  if (!describe_raw()) return;
  if (std::ranges::none_of(files, may_be_raw))
    throw usage_error(raw_options_[0] + " describes .raw files, and no input is one: leave it out");
  if (!has_shape_) throw usage_error(raw_options_[0] + " describes .raw files, which need --shape too");
}

}  // namespace macareu::tool
