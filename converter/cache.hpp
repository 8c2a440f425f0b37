// What was made once from some content is kept in the user's cache directory: $MACAREU_CACHE,
// $XDG_CACHE_HOME/macareu or ~/.cache/macareu.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

namespace macareu::converter {

/// A few letters that tell contents apart, but for chance; against those who want otherwise they are no help.
std::string short_name(const std::string& content);

/// The file `name` for this content. Where it is not there yet, `make` is given an empty directory to write
/// it in; the directory then appears as a whole, so nobody ever sees half of it. The content itself is kept
/// beside and compared, so two contents are never taken for one another.
std::filesystem::path cached(const std::string& content, const std::string& name,
                             const std::function<void(const std::filesystem::path& directory)>& make);

/// The same for a text, which is made anew where nothing can be kept, or what is kept is damaged.
std::string cached_text(const std::string& content, const std::string& name,
                        const std::function<std::string()>& make,
                        const std::function<bool(const std::string& text)>& is_whole);

std::string text_of_file(const std::filesystem::path& file);
void write_text(const std::filesystem::path& file, const std::string& text);

}  // namespace macareu::converter
