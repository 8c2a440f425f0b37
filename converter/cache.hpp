// A cache of compiled functions, by content, in $MACAREU_CACHE, $XDG_CACHE_HOME/macareu or ~/.cache/macareu.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

namespace macareu::converter {

/// A short hash of the content. It is not cryptographic.
std::string short_name(const std::string& content);

/// The file `name` for this content. If it is missing, `make` writes it into an empty directory, which is
/// then renamed. Other processes never see a partial result. The content is stored alongside and compared, so
/// hash collisions cannot mix up entries.
std::filesystem::path cached(const std::string& content, const std::string& name,
                             const std::function<void(const std::filesystem::path& directory)>& make);

/// The same for a text. It is recomputed if the cache is not writable or its entry is damaged.
std::string cached_text(const std::string& content, const std::string& name,
                        const std::function<std::string()>& make,
                        const std::function<bool(const std::string& text)>& is_whole);

std::string text_of_file(const std::filesystem::path& file);
void write_text(const std::filesystem::path& file, const std::string& text);

}  // namespace macareu::converter
