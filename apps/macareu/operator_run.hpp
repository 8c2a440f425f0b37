// One run of an operator: check, read, compute, write.
#pragma once

#include <string>
#include <vector>

#include <macareu/catalogue.hpp>
#include <macareu/files.hpp>

#include "inputs.hpp"
#include "interruption.hpp"
#include "object_outputs.hpp"
#include "report.hpp"
#include "run_options.hpp"

namespace macareu::tool {

class operator_run {
 public:
  explicit operator_run(const operator_description& about)
      : inputs(about.inputs.size()), outputs(about.outputs.size()), about_(about) {}

  std::vector<std::string> inputs;   ///< files, in the order of the description
  std::vector<std::string> outputs;  ///< likewise
  arguments values;
  input_options reading;
  run_options running;
  object_outputs objects;  ///< of operators that give labels

  int operator()(interruption& signals);

 private:
  void check_before_reading() const;
  std::vector<image_file> read_inputs();
  std::vector<image> compute(const std::vector<image_file>& files, interruption& signals);
  /// Of labels: what is asked for beside them.
  void describe_objects(std::vector<image>& results, const interruption& signals);
  void write_outputs(const std::vector<image>& results, const image_file& first, const interruption& signals);
  void tell_note() const;
  void tell_time() const;

  const operator_description& about_;
  run_record record_;
  table measured_;  ///< of objects
};

}  // namespace macareu::tool
