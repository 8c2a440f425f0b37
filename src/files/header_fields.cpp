#include "header_fields.hpp"

#include <algorithm>

namespace macareu::files {

std::string_view name_in(std::span<const type_name> names, dtype type) {
  const auto wanted = type == dtype::boolean ? dtype::u8 : type;
  return std::ranges::find(names, wanted, &type_name::type)->text;
}

void header_fields::add(std::string_view line, std::uint64_t offset, char separator) {
  constexpr std::uint64_t longest_header = 1 << 20;
  if (offset > longest_header) file_.fail_at(offset, "the header does not end");
  const auto at = line.find(separator);
  if (at == std::string_view::npos)
    file_.fail_at(offset, "header line " + in_quotes(line) + " has no '" + separator + "'");
  fields_.insert_or_assign(lower(trimmed(line.substr(0, at))),
                           field{std::string(trimmed(line.substr(at + 1))), offset});
}

std::string_view header_fields::text(std::string_view name, std::string_view otherwise) const {
  const auto found = fields_.find(name);
  return found == fields_.end() ? otherwise : std::string_view(found->second.value);
}

dtype header_fields::type(std::string_view name, std::span<const type_name> names) const {
  const auto wanted = lower(text(name));
  const auto found =
      std::ranges::find(names, wanted, [](const type_name& entry) { return lower(entry.text); });
  if (found == names.end()) fail(name, "is " + in_quotes(text(name)) + ", which is not a pixel type");
  return found->type;
}

void header_fields::fail(std::string_view name, std::string_view message) const {
  const auto found = fields_.find(name);
  file_.fail_at(found == fields_.end() ? file_.offset() : found->second.offset,
                in_quotes(name) + " " + std::string(message));
}

const header_fields::field& header_fields::need(std::string_view name) const {
  const auto found = fields_.find(name);
  if (found == fields_.end()) fail(name, "is missing from the header");
  return found->second;
}

}  // namespace macareu::files
