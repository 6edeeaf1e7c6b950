// Calibration samples: a folder of .npy files as the inputs of a model, one set of arrays per
// sample.
#pragma once

#include "tigris/Driver/Host/Npy.h"

#include <functional>

namespace tigris {

/// What samples must look like: a model input.
struct SampleInput {
  std::string name;
  DType type = DType::Undefined;
  Shape shape;
};

/// The samples below a folder, in name order.
///
///   one input:        DIR/*.npy
///   several inputs:   DIR/<input name>/*.npy (or DIR/<index>/*.npy), the k-th file of each is
///   sample k
///
/// A file holds one sample (the input's shape, or that without a leading 1), or many: one more
/// dimension in front, or a multiple in place of a leading 1.
class SampleFolder {
public:
  /// Lists the files and reads none. IoError where the folder cannot be read, BadValue where it is
  /// empty or the inputs have different numbers of files.
  static Expected<SampleFolder> open(const std::string& path, std::vector<SampleInput> inputs);

  /// Calls `use` with one array per input for at most `limit` samples, reading one file at a time.
  /// Stops at the first failure. BadValue names the file whose type or shape does not fit.
  Status forEach(size_t limit,
                 const std::function<Status(const std::vector<NpyArray>&)>& use) const;

  /// Per input, in the order they are read.
  const std::vector<std::vector<std::string>>& files() const { return files_; }
  /// Of the first input; a file may hold many samples.
  size_t fileCount() const { return files_.empty() ? 0 : files_[0].size(); }

private:
  std::vector<SampleInput> inputs_;
  std::vector<std::vector<std::string>> files_;
};

} // namespace tigris
