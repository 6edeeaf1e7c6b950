// Files are listed in name order, so the result does not depend on the file system.
#include "tigris/Driver/Host/SampleFolder.h"

#include "tigris/Support/FileIO.h"
#include "tigris/Support/StringUtils.h"

#include <algorithm>
#include <filesystem>

namespace tigris {

namespace {

namespace fs = std::filesystem;

Expected<std::vector<std::string>> listArrays(const fs::path& folder) {
  std::error_code error;
  std::vector<std::string> files;
  fs::directory_iterator at(folder, error);
  for (; !error && at != fs::directory_iterator(); at.increment(error))
    if (at->path().extension() == ".npy")
      files.push_back(at->path().string());
  if (error)
    return makeError(DiagId::IoError, "cannot read the directory '", folder.string(),
                     "': ", error.message());
  std::sort(files.begin(), files.end());
  return files;
}

/// The number of samples in one file.
Expected<size_t> sampleCount(const NpyArray& array, const SampleInput& input,
                             const std::string& file) {
  const Shape& got = array.shape;
  const Shape& want = input.shape;
  const auto tail = [](const Shape& shape) {
    return std::vector<int64_t>(shape.begin() + 1, shape.end());
  };
  const bool batched = want.rank() > 0 && want[0] == 1;
  if (array.type == input.type) {
    if (got == want || (batched && got.dims() == tail(want)))
      return size_t{1};
    if (got.rank() == want.rank() + 1 && tail(got) == want.dims())
      return static_cast<size_t>(got[0]);
    if (batched && got.rank() == want.rank() && tail(got) == tail(want))
      return static_cast<size_t>(got[0]);
  }
  return makeError(DiagId::BadValue, "is ", dtypeName(array.type), " ", got.str(),
                   ", but model input '", input.name, "' takes ", dtypeName(input.type), " ",
                   want.str(), "; several samples in one file need an additional leading dimension")
      .at({displayName(file), 0, 0});
}

} // namespace

Expected<SampleFolder> SampleFolder::open(const std::string& path,
                                          std::vector<SampleInput> inputs) {
  SampleFolder folder;
  folder.inputs_ = std::move(inputs);
  const fs::path root(path);
  for (size_t i = 0; i < folder.inputs_.size(); ++i) {
    fs::path place = root;
    if (folder.inputs_.size() > 1) {
      std::error_code ignored;
      place = fs::is_directory(root / folder.inputs_[i].name, ignored)
                  ? root / folder.inputs_[i].name
                  : root / strCat(i);
    }
    Expected<std::vector<std::string>> files = listArrays(place);
    if (!files)
      return folder.inputs_.size() > 1 ? files.takeError().note(strCat(
                                             "the model has ", folder.inputs_.size(),
                                             " inputs; DIR needs a subdirectory named after each"))
                                       : files.takeError();
    if (files->empty())
      return makeError(DiagId::BadValue, "the directory '", place.string(),
                       "' contains no .npy files; calibration needs samples");
    if (i > 0 && files->size() != folder.fileCount())
      return makeError(DiagId::BadValue, "model input '", folder.inputs_[i].name, "' has ",
                       files->size(), " files, input '", folder.inputs_[0].name, "' has ",
                       folder.fileCount());
    folder.files_.push_back(std::move(*files));
  }
  return folder;
}

Status SampleFolder::forEach(size_t limit,
                             const std::function<Status(const std::vector<NpyArray>&)>& use) const {
  size_t done = 0;
  for (size_t file = 0; file < fileCount() && done < limit; ++file) {
    std::vector<NpyArray> arrays;
    size_t samples = 0;
    for (size_t i = 0; i < inputs_.size(); ++i) {
      const std::string& path = files_[i][file];
      const Expected<std::string> bytes = readFile(path);
      if (!bytes)
        return bytes.error();
      Expected<NpyArray> array = parseNpy(*bytes, displayName(path));
      if (!array)
        return array.takeError();
      const Expected<size_t> count = sampleCount(*array, inputs_[i], path);
      if (!count)
        return count.error();
      if (i > 0 && *count != samples)
        return makeError(DiagId::BadValue, "contains ", *count, " samples, '", files_[0][file],
                         "' contains ", samples)
            .at({displayName(path), 0, 0});
      samples = *count;
      arrays.push_back(std::move(*array));
    }
    for (size_t sample = 0; sample < samples && done < limit; ++sample, ++done) {
      std::vector<NpyArray> one;
      for (size_t i = 0; i < inputs_.size(); ++i) {
        const auto size = static_cast<std::ptrdiff_t>(
            static_cast<size_t>(inputs_[i].shape.elements()) * dtypeSize(inputs_[i].type));
        const auto begin = arrays[i].data.begin() + static_cast<std::ptrdiff_t>(sample) * size;
        one.push_back({inputs_[i].type, inputs_[i].shape, {begin, begin + size}});
      }
      if (Status status = use(one); !status)
        return status;
    }
  }
  return {};
}

} // namespace tigris
