#include "view_verb.hpp"

#include <cstdio>
#include <memory>
#include <string>

#include <macareu/error.hpp>
#include <macareu/page.hpp>

#include "command/other_programs.hpp"
#include "command/progress_bar.hpp"
#include "command/text.hpp"
#include "server.hpp"
#include "shown_files.hpp"

namespace macareu::tool {
namespace {

struct viewing {
  shown_files files;
  std::string page;
  int port = 0;
};

int run(viewing& given, interruption& signals) {
  if (const auto missing = missing_for_pages(); !missing.empty()) throw io_error(missing);
  const auto content = given.files.open();
  const interruption::careful_section careful(signals);
  if (!given.page.empty()) {
    progress_bar bar("page", false);
    write_page(given.page, content, {.progress = bar.callback(), .stop = signals.token()});
    return exit_code::done;
  }
  const page_files page(content);
  serve(page, given.port, signals.token(), [](const std::string& address) {
    std::printf("%s\n", address.c_str());
    std::fflush(stdout);
    std::fprintf(stderr, "view: open this address in a browser of this machine; Ctrl-C ends\n");
  });
  return exit_code::done;
}

void add_options(parser& options, viewing& given) {
  auto& files = given.files;
  options.add({.group = "Inputs",
               .names = "FILE",
               .help =
                   "images of one shape: pictures, slides, Zarr, .npy, volumes; the second and later ones "
                   "are compared with the first",
               .required = true,
               .several = true,
               .take = [&](const std::string& text) { files.images.push_back(text); }});
  options.add({.group = "Inputs",
               .names = "--labels",
               .value = "FILE",
               .help = "label image of the same shape: its objects are drawn over the image",
               .take = [&](const std::string& text) { files.labels = text; }});
  options.add({.group = "Inputs",
               .names = "--table",
               .value = "FILE",
               .help = "table of the objects, .csv or .csv.gz, with a column label",
               .take = [&](const std::string& text) { files.table = text; }});
  options.add({.group = "Inputs",
               .names = "--mask",
               .value = "FILE",
               .help = "mask image of any size, or GeoJSON, whose outline is drawn",
               .take = [&](const std::string& text) { files.mask = text; }});
  options.add({.group = "Outputs",
               .names = "--page",
               .value = "FOLDER",
               .help = "write FOLDER/index.html, which opens without a server, instead of serving",
               .take = [&](const std::string& text) { given.page = text; }});
  options.add({.group = "Parameters",
               .names = "--compare",
               .value = "slider|side",
               .help = "how images are compared first: by a slider or side by side (default: slider)",
               .take = [&](const std::string& text) {
                 files.side_by_side = choice_from("--compare", text, "slider|side") == "side";
               }});
  options.add({.group = "Parameters",
               .names = "--port",
               .value = "N",
               .help = "port of the server (default: any free one)",
               .take = [&](const std::string& text) {
                 given.port = static_cast<int>(whole_number("--port", text, 1, 65535));
               }});
  files.reading.add_channel_to(options);
  files.reading.add_to(options);
}

}  // namespace

verb view_verb() {
  auto about = view_outline();
  about.notes =
      "Prints the address of a page and serves it until Ctrl-C, to browsers of this machine only. Tiles are "
      "read from the files when they are looked at. Volumes are shown slice by slice. Large images without "
      "smaller levels of their own appear coarse first.";
  about.example = "macareu view slide.tif --labels nuclei.tif --table nuclei.csv";
  about.prepare = [](parser& options) {
    const auto given = std::make_shared<viewing>();
    add_options(options, *given);
    return [given](interruption& signals) { return run(*given, signals); };
  };
  return about;
}

}  // namespace macareu::tool
