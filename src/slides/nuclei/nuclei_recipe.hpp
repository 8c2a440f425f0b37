// The recipe for nuclei, a line for each step. docs/explanation/nuclei.md explains them.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include <macareu/nuclei.hpp>
#include <macareu/steps.hpp>
#include <macareu/value_counts.hpp>

namespace macareu::slides {

/// Numbers of the whole slide that steps need, in units of densities.
struct slide_numbers {
  double threshold = 0;
  class_means means{};
};
slide_numbers numbers_of(const value_counts& densities);

/// Labels as u32. Operators give u64 from 2^32 pixels on, however few objects there are.
picture labels_in_u32(steps& on, picture labels);

class nuclei_recipe {
 public:
  nuclei_recipe(const steps& on, const nuclei_options& options, double mpp)
      : on_(on), o_(options), mpp_(mpp) {}

  /// The density of haematoxylin, with DAB of both, u16.
  picture density(const picture& rgb, const std::array<double, 3>& white) const;
  /// The density, smooth and with pale centres filled.
  picture filled_density(const picture& density);
  /// Labels 1..n in raster order of first pixels; on.count() is n then.
  picture labels(picture density, const picture& filled, const slide_numbers& slide);

 private:
  double pixels(double micrometres) const { return micrometres / mpp_; }
  double area(double square_micrometres) const { return square_micrometres / (mpp_ * mpp_); }

  picture gaussian(const picture& of, double sigma, const char* type = "standard") const;
  picture blobs(const picture& of, double sigma) const;
  picture flat(std::string_view name, const picture& of, double radius) const;
  picture enlarged(const picture& of, std::int64_t times, const extents& shape) const;
  picture local_level(const picture& f, const slide_numbers& slide);
  picture foreground(const picture& f, const picture& level);
  picture landscape(const picture& density, const picture& f, const picture& fg, double threshold) const;
  picture parts(picture land, const picture& fg, const picture& f);
  picture sized(picture objects);
  picture refined(picture parts, const picture& fg, const picture& f);

  steps on_;
  const nuclei_options& o_;
  double mpp_;
};

}  // namespace macareu::slides
