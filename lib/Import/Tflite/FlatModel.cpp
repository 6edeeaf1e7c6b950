// Verification of the file, and of the indices in it.
#include "tigris/Import/Tflite/FlatModel.h"

#include "tigris/Support/FileKind.h"
#include "tigris/Support/StringUtils.h"

#include <algorithm>
#include <cstring>

namespace tigris {

namespace {

constexpr size_t MaxFileBytes = FLATBUFFERS_MAX_BUFFER_SIZE - 1;
constexpr size_t MagicEnd = 8;
/// Tables nest about ten deep. A hostile file may use one table many times, which the verifier
/// counts each time.
constexpr size_t MaxDepth = 64;
constexpr size_t MaxTables = 4'000'000;

template <typename... Args> Error badModel(const Args&... text) {
  return makeError(DiagId::BadModel, text...);
}

bool isIndex(int64_t index, size_t count) {
  return index >= 0 && static_cast<uint64_t>(index) < count;
}

} // namespace

std::string OperatorCode::name() const {
  if (builtin == tflite::BuiltinOperator::CUSTOM)
    return custom.empty() ? "CUSTOM" : custom;
  const std::string_view known = tflite::EnumNameBuiltinOperator(builtin);
  return known.empty() ? strCat("operator ", static_cast<int32_t>(builtin)) : std::string(known);
}

Expected<std::unique_ptr<FlatModel>> FlatModel::open(std::string_view bytes) {
  if (bytes.size() < MagicEnd || bytes.substr(4, 4) != tflite::ModelIdentifier())
    return badModel("not a TensorFlow Lite model: it does not begin with the mark 'TFL3'");
  if (bytes.size() > MaxFileBytes)
    return badModel("the file has ", bytes.size(), " bytes, at most ", MaxFileBytes,
                    " are supported");
  std::unique_ptr<FlatModel> model(new FlatModel());
  model->bytes_ = bytes;
  if (reinterpret_cast<uintptr_t>(bytes.data()) % alignof(uint64_t) != 0) {
    model->copy_ = std::make_unique<uint64_t[]>(bytes.size() / sizeof(uint64_t) + 1);
    std::memcpy(model->copy_.get(), bytes.data(), bytes.size());
    model->bytes_ = {reinterpret_cast<const char*>(model->copy_.get()), bytes.size()};
  }
  const auto* data = reinterpret_cast<const uint8_t*>(model->bytes_.data());
  flatbuffers::Verifier verifier(data, bytes.size(), MaxDepth, MaxTables);
  if (!tflite::VerifyModelBuffer(verifier))
    return badModel("the TensorFlow Lite model is damaged: an offset or a length in it points "
                    "outside the ",
                    bytes.size(), " bytes of the file");
  model->root_ = tflite::GetModel(data);
  constexpr uint32_t Version = 3;
  if (model->root_->version() != Version)
    return badModel("the TensorFlow Lite model has schema version ", model->root_->version(),
                    ", only version 3 is supported");
  if (Status status = model->readBuffers(); !status)
    return status.takeError();
  if (Status status = model->readCodes(); !status)
    return status.takeError();
  if (Status status = model->readGraphs(); !status)
    return status.takeError();
  return model;
}

/// Large models keep data behind the FlatBuffer; the buffer then has an offset in the file.
Status FlatModel::readBuffers() {
  for (const tflite::Buffer* buffer : tablesOf(root_->buffers())) {
    const uint64_t offset = buffer->offset();
    const uint64_t size = buffer->size();
    if (buffer->data() != nullptr && buffer->data()->size() > 0) {
      buffers_.emplace_back(buffer->data()->data(), buffer->data()->size());
    } else if (offset > 1 && size > 0) { // 1 is a placeholder in converters
      if (offset > bytes_.size() || size > bytes_.size() - offset)
        return badModel("buffer ", buffers_.size(), " has ", size, " bytes at offset ", offset,
                        ", outside the ", bytes_.size(), " bytes of the file");
      buffers_.emplace_back(reinterpret_cast<const uint8_t*>(bytes_.data()) + offset, size);
    } else {
      buffers_.emplace_back();
    }
  }
  if (buffers_.empty())
    buffers_.emplace_back();
  return {};
}

Status FlatModel::readCodes() {
  for (const tflite::OperatorCode* code : tablesOf(root_->operator_codes())) {
    // Files older than the 32-bit field have only the 8-bit one.
    const auto number = std::max(static_cast<int32_t>(code->builtin_code()),
                                 int32_t{code->deprecated_builtin_code()});
    codes_.push_back({static_cast<tflite::BuiltinOperator>(number), textOf(code->custom_code()),
                      code->version()});
  }
  return {};
}

Status FlatModel::readGraphs() {
  for (const tflite::SubGraph* subgraph : tablesOf(root_->subgraphs())) {
    const size_t index = graphs_.size();
    FlatGraph graph = {textOf(subgraph->name()), tablesOf(subgraph->tensors()),
                       tablesOf(subgraph->operators()), elementsOf(subgraph->inputs()),
                       elementsOf(subgraph->outputs())};
    for (size_t i = 0; i < graph.tensors.size(); ++i)
      if (Status status = checkTensor(*graph.tensors[i], index, i); !status)
        return status;
    for (size_t i = 0; i < graph.operators.size(); ++i)
      if (!isIndex(graph.operators[i]->opcode_index(), codes_.size()))
        return badModel("operator ", i, " of subgraph ", index, " has the operator code ",
                        graph.operators[i]->opcode_index(), ", the model has ", codes_.size());
    if (Status status = checkIndices(graph, index); !status)
      return status;
    graphs_.push_back(std::move(graph));
  }
  if (graphs_.empty())
    return badModel("the model has no subgraph");
  return {};
}

Status FlatModel::checkTensor(const tflite::Tensor& tensor, size_t graph, size_t index) const {
  if (!isIndex(tensor.buffer(), buffers_.size()))
    return badModel("tensor ", index, " of subgraph ", graph, " refers to buffer ", tensor.buffer(),
                    ", the model has ", buffers_.size());
  return {};
}

/// Every tensor number exists; -1 is an absent operand. A tensor has at most one source.
Status FlatModel::checkIndices(const FlatGraph& graph, size_t index) {
  const size_t count = graph.tensors.size();
  const auto check = [&](const std::vector<int32_t>& numbers, int32_t least) -> Status {
    for (const int32_t number : numbers)
      if (number < least || (number >= 0 && !isIndex(number, count)))
        return badModel("subgraph ", index, " refers to tensor ", number, ", it has ", count);
    return {};
  };
  std::vector<bool> written(count);
  const auto write = [&](const std::vector<int32_t>& numbers) -> Status {
    for (const int32_t number : numbers) {
      if (number >= 0 && written[static_cast<size_t>(number)])
        return badModel("tensor ", number, " ('",
                        textOf(graph.tensors[static_cast<size_t>(number)]->name()),
                        "') of subgraph ", index, " is written twice");
      if (number >= 0)
        written[static_cast<size_t>(number)] = true;
    }
    return {};
  };
  if (Status status = check(graph.inputs, 0); !status)
    return status;
  if (Status status = check(graph.outputs, 0); !status)
    return status;
  if (Status status = write(graph.inputs); !status)
    return status;
  for (const tflite::Operator* op : graph.operators) {
    const std::vector<int32_t> outputs = elementsOf(op->outputs());
    if (Status status = check(elementsOf(op->inputs()), -1); !status)
      return status;
    if (Status status = check(elementsOf(op->intermediates()), -1); !status)
      return status;
    if (Status status = check(outputs, -1); !status)
      return status;
    if (Status status = write(outputs); !status)
      return status;
  }
  return {};
}

} // namespace tigris
