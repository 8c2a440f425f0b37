// The inputs and outputs of a run in pieces.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <macareu/sources.hpp>

#include "engines/pieces/files/store.hpp"
#include "engines/pieces/node.hpp"

namespace macareu::pieces {

class input_slots {
 public:
  std::shared_ptr<slot> slot_of(run& of, image_source& source, int channel);

 private:
  std::map<std::pair<image_source*, int>, std::shared_ptr<slot>> slots_;
  std::map<image_source*, std::shared_ptr<colour_box>> colours_;
};

class output_slots {
 public:
  explicit output_slots(run& of) : run_(of) {}

  std::shared_ptr<slot> slot_of(image_sink& sink, const image_view& form, int channel);
  /// That of the output which an image becomes, if work files can become it.
  file_form form_of(const slot& place) const;
  /// A result in a file of its own. A run that is resumed finds what is done.
  std::shared_ptr<stored> filled(const node_ptr& result, const file_form& form);
  /// The same without a header, for results that are computed in other boxes than they are read.
  node_ptr in_file(const node_ptr& result);
  /// Computes what is not computed yet, and writes all outputs.
  void write();

 private:
  struct output {
    image_sink* sink;
    std::vector<std::shared_ptr<slot>> channels;
  };
  /// A file that becomes the output, if it can.
  std::shared_ptr<stored> write(const output& each);
  /// Throws io_error unless the first rank sees what the others wrote, all pieces that are not its own.
  static void require_written(image_sink& sink, const piece_grid& grid, const std::vector<bool>& is_mine);
  /// The size of pieces in which a result fills a file, or a sink.
  site size_in_file(const node& result) const;
  site size_in_sink(const image_sink& sink, const std::vector<node_ptr>& results) const;

  run& run_;
  std::vector<output> outputs_;
};

}  // namespace macareu::pieces
