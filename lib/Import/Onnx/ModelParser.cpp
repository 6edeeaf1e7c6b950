// Parses models; protobuf's own messages on stderr are muted and replaced by one error.
#include "tigris/Import/Onnx/ModelParser.h"

#include "tigris/Support/FileKind.h"
#include "tigris/Support/StringUtils.h"

#include <google/protobuf/arena.h>
#include <algorithm>
#include <climits>
#if GOOGLE_PROTOBUF_VERSION < 4022000
#include <google/protobuf/stubs/logging.h>
#endif

namespace tigris {

namespace {

#if GOOGLE_PROTOBUF_VERSION < 4022000
using Mute = google::protobuf::LogSilencer;
#else
struct Mute {};
#endif

Error notOnnx(std::string_view bytes, std::string_view reason) {
  const FileKind* kind = recognizeFile(bytes);
  return kind == nullptr || kind->role == FileKind::Role::Onnx
             ? makeError(DiagId::BadModel, "not a valid ONNX model: ", reason)
             : notThisKind(DiagId::BadModel, "a valid ONNX model", *kind);
}

} // namespace

int opsetVersion(const google::protobuf::RepeatedPtrField<onnx::OperatorSetIdProto>& imports,
                 std::string_view domain) {
  for (const onnx::OperatorSetIdProto& import : imports)
    if (import.domain() == domain || (isDefaultDomain(domain) && isDefaultDomain(import.domain())))
      return static_cast<int>(std::min<int64_t>(import.version(), INT_MAX));
  return 0;
}

Expected<std::shared_ptr<const onnx::ModelProto>> parseModel(std::string_view bytes) {
  if (bytes.empty())
    return makeError(DiagId::EmptyInput, "empty input; an ONNX model was expected");
  if (bytes.size() > INT_MAX)
    return makeError(DiagId::BadModel, "the model has ", bytes.size(),
                     " bytes, protobuf reads at most ", INT_MAX,
                     "; store its weights as external data");

  const Mute mute;
  const auto arena = std::make_shared<google::protobuf::Arena>();
  auto* model = google::protobuf::Arena::CreateMessage<onnx::ModelProto>(arena.get());
  if (!model->ParseFromArray(bytes.data(), static_cast<int>(bytes.size())))
    return notOnnx(bytes, strCat("its ", bytes.size(), " bytes are damaged or truncated"));
  if (!model->has_graph())
    return notOnnx(bytes, "it contains no graph; the file may be truncated");

  const int opset = opsetVersion(model->opset_import(), "");
  if (opset == 0 && model->opset_import().empty())
    return notOnnx(bytes, "it declares no operator set; the file may be truncated");
  if (opset != 0 && opset < OldestOpset)
    return makeError(DiagId::BadModel, "the model uses opset ", opset, ", the oldest supported is ",
                     OldestOpset, "; convert it with onnx.version_converter");
  return std::shared_ptr<const onnx::ModelProto>(arena, model);
}

} // namespace tigris
