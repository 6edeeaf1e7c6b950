// Custom operators, whose options are a FlexBuffer.
#include "tigris/Import/Tflite/OpTables.h"
#include "tigris/Import/Tflite/Operands.h"

#include <flatbuffers/flexbuffers.h>

namespace tigris {

namespace {

using tflite::BuiltinOperator;

/// The options by name. Reports an error and is empty if they are damaged.
flexbuffers::Map customOptions(OpContext& op) {
  const auto* bytes = op.flat().custom_options();
  if (bytes == nullptr || !flexbuffers::VerifyBuffer(bytes->data(), bytes->size()) ||
      !flexbuffers::GetRoot(bytes->data(), bytes->size()).IsMap()) {
    op.fail(DiagId::BadModel, "its custom options are no map of a FlexBuffer");
    return flexbuffers::Map::EmptyMap();
  }
  return flexbuffers::GetRoot(bytes->data(), bytes->size()).AsMap();
}

/// TFLite_Detection_PostProcess: boxes [1, N, 4], scores [1, N, columns] and anchors [N, 4]. Reads
/// the options that TensorFlow's exporters write.
Status flatDetection(OpContext& op) {
  if (!op.require(3))
    return op.status();
  const flexbuffers::Map options = customOptions(op);
  const TensorId boxes = op.real(op.input(0));
  const TensorId scores = op.real(op.input(1));
  const TensorId anchors = op.real(op.input(2));
  if (op.failed())
    return op.status();
  if (options["use_regular_nms"].AsBool())
    return op.unsupported("it suppresses boxes class by class (use_regular_nms); only the fast "
                          "choice is supported");
  const int64_t most = options["max_detections"].AsInt64();
  if (options["max_classes_per_detection"].AsInt64() != 1)
    return op.unsupported("it detects ", options["max_classes_per_detection"].AsInt64(),
                          " classes per box, only 1 is supported");
  if (op.shape(boxes).rank() != 3 || op.shape(scores).rank() != 3 || op.shape(boxes)[0] != 1 ||
      op.shape(scores)[0] != 1 || op.outputCount() != 4)
    return op.fail(DiagId::BadShape, "its boxes have shape ", op.shape(boxes).str(),
                   ", its scores ", op.shape(scores).str(), ", expected one picture");
  const Shape boxLines = {op.shape(boxes)[1], op.shape(boxes)[2]};
  const Shape scoreLines = {op.shape(scores)[1], op.shape(scores)[2]};
  const int64_t classes = options["num_classes"].AsInt64();
  if (classes < 1 || classes > scoreLines[1])
    return op.fail(DiagId::BadAttr, "'num_classes' is ", classes, ", its scores have ",
                   scoreLines[1], " columns");
  AttrMap attrs = {{"max_detections", most},
                   {"first_column", scoreLines[1] - classes},
                   {"score_threshold", options["nms_score_threshold"].AsDouble()},
                   {"iou_threshold", options["nms_iou_threshold"].AsDouble()},
                   {"scales", std::vector<double>{
                                  options["y_scale"].AsDouble(), options["x_scale"].AsDouble(),
                                  options["h_scale"].AsDouble(), options["w_scale"].AsDouble()}}};
  const auto [found, count] = twoResults(
      op, {"detections", "count"}, OpKind::DetectionPostProcess,
      {op.reshaped(boxes, boxLines), op.reshaped(scores, scoreLines), anchors}, std::move(attrs));
  if (op.failed())
    return op.status();
  op.finishAs(op.reshaped(partOf(op, found, 1, 0, 4), {1, most, 4}), 0);
  op.finishAs(op.reshaped(partOf(op, found, 1, 4, 5), {1, most}), 1);
  op.finishAs(op.reshaped(partOf(op, found, 1, 5, 6), {1, most}), 2);
  return op.finishAs(partOf(op, count, 0, 0, 1), 3);
}

constexpr OpRule CustomOps[] = {
    {BuiltinOperator::CUSTOM, 1, flatDetection, "use_regular_nms false, one class per detection",
     "TFLite_Detection_PostProcess"},
};

} // namespace

std::span<const OpRule> customOps() { return CustomOps; }

} // namespace tigris
