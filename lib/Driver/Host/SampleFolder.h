// Reads calibration samples from a folder of .npy files: one array per model input for each sample.
#pragma once

#include "tigris/Driver/Host/Npy.h"

#include <functional>

namespace tigris {

/// A model input, which determines type and shape of its samples.
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
/// A file holds one sample or several. One sample has the input's shape, possibly without a leading
/// 1. Several samples have an additional leading dimension, or their number in place of a leading
/// 1.
class SampleFolder {
public:
  /// Lists the files without reading them. IoError if the folder cannot be read, BadValue if it is
  /// empty or the inputs have different numbers of files.
  static Expected<SampleFolder> open(const std::string& path, std::vector<SampleInput> inputs);

  /// Calls `use` with one array per input for at most `limit` samples, reading one file at a time.
  /// Stops at the first failure. BadValue names the file whose type or shape does not fit.
  Status forEach(size_t limit,
                 const std::function<Status(const std::vector<NpyArray>&)>& use) const;

  /// The files of each input, in the order in which they are read.
  const std::vector<std::vector<std::string>>& files() const { return files_; }
  /// The number of files of the first input; a file may hold several samples.
  size_t fileCount() const { return files_.empty() ? 0 : files_[0].size(); }

private:
  std::vector<SampleInput> inputs_;
  std::vector<std::vector<std::string>> files_;
};

} // namespace tigris
