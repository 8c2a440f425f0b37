// Checks of a call before any computation.
#pragma once

#include <span>
#include <vector>

#include <macareu/catalogue.hpp>

namespace macareu {

enum class result_kind { images, table, shapes };

void check_gives(const operator_description& about, result_kind wanted);
void check_context(const context& how);
/// Checks form and memory of the inputs, and that no argument is given beside what it stands instead of.
void check_inputs(const operator_description& about, std::span<const const_image_view> inputs,
                  const arguments& given);
/// `all` must be complete.
void check_outputs(const operator_description& about, std::span<const const_image_view> inputs,
                   std::span<const image_view> outputs, const arguments& all);

/// `all` must be complete.
dtype type_of(const output_description& output, dtype input, const extents& shape, const arguments& all);
extents shape_of(const output_description& output, const extents& input, const arguments& all);
int channels_of(const output_description& output, int input, const arguments& all);

}  // namespace macareu
