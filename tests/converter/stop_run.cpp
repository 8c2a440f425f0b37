// Runs described functions on the CPU as `macareu run` does, and asks each to stop when it first tells how
// far it is: stop_run FILE.json... Fails where one does not stop.
#include <cstdio>
#include <stop_token>
#include <vector>

#include <macareu/error.hpp>

#include <cache.hpp>
#include <cpu_run.hpp>

namespace {

namespace converter = macareu::converter;

bool stops(const char* file) {
  converter::call given;
  given.about = converter::from_json(converter::text_of_file(file), file);
  std::vector<macareu::image> images;
  for (int i = 0; i < given.about.inputs; ++i)
    images.emplace_back(given.about.pixel.type, macareu::extents{2048, 2048});
  for (const auto& each : images) given.images.push_back(&each);
  // On one thread: the first is the one that tells, and another could be done with everything before.
  std::stop_source source;
  const macareu::context how{
      .threads = 1, .progress = [&](double) { source.request_stop(); }, .stop = source.get_token()};
  converter::result_bytes result;
  try {
    const converter::cpu_function function(given.about, given.how);
    function(given, converter::cpu_engine::parallel, how, result);
    return false;
  } catch (const macareu::interrupted&) {
    return true;
  }
}

}  // namespace

int main(int count, char** texts) {
  try {
    for (int i = 1; i < count; ++i) {
      if (stops(texts[i])) continue;
      std::fprintf(stderr, "%s: goes on\n", texts[i]);
      return 1;
    }
    return 0;
  } catch (const macareu::error& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
}
