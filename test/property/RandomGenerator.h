// The state of a random model under construction, and one function per family of operators.
// Internal to randomModel().
#pragma once

#include "RandomModel.h"

#include "tigris/IR/ShapeInference.h"

#include <map>
#include <optional>

namespace tigris::property {

/// Each `add...(x)` tries once to add an operator that reads x; it may do nothing if x is
/// unsuitable.
class Generator {
public:
  explicit Generator(uint64_t seed)
      : random_(seed), hasSequences_(seed % 8 == 0), hasIndices_(seed % 8 == 4) {}

  Graph make(unsigned limit);

private:
  /// Mixed operators; chains of poolings; blocks of convolutional networks; recurrent layers.
  enum class Style : uint8_t { Any, Tower, Net, Sequence };

  // --- tensors: RandomModel.cpp

  const Tensor& tensor(TensorId id) const { return graph_.tensor(id); }
  const Shape& shape(TensorId id) const { return tensor(id).shape; }
  bool isFloat(TensorId id) const { return tensor(id).type == DType::Float32; }
  QuantParam sameQuant(TensorId x) const { return tensor(x).quant.value_or(QuantParam()); }

  QuantParam quant();
  TensorId addTensor(DType type, Shape dims, std::optional<QuantParam> quantized);
  static Port port(const Tensor& t, TensorId id, std::string name);
  Shape inputShape();
  void addInput();
  void addOutputs();
  /// Prefers recent tensors.
  TensorId pick();
  TensorId constant(DType type, const Shape& dims, std::optional<QuantParam> quantized = {});
  /// x, or sometimes a constant of its type, shape and scale.
  TensorId orConstant(TensorId x);
  /// Adds the op with a result of that quantization; does nothing if the op does not accept these
  /// operands.
  std::optional<TensorId> add(OpKind kind, std::vector<TensorId> inputs, AttrMap attrs,
                              const QuantParam& quantized, double magnitude,
                              Activation act = Activation::None);
  /// `x` requantized to that quantization.
  TensorId alike(TensorId x, const std::optional<QuantParam>& quantized);
  template <typename List> static int64_t size(const List& list) {
    return static_cast<int64_t>(list.size());
  }
  template <typename T> T oneOf(std::initializer_list<T> list) {
    return list.begin()[random_.below(size(list))];
  }
  void addOp();
  void addRandomOp();
  /// Mostly windows of three rows over the newest tensor: long streams, and maps that reuse each
  /// other's memory.
  void addTowerOp();

  // --- blocks of networks: RandomNets.cpp

  /// Images, or sequences of rank 3, with enough rows for long streams.
  Shape netShape();
  /// A convolution or pool that keeps the size if the stride is 1.
  void addWindow(TensorId x, int64_t stride);
  std::optional<TensorId> addPointwise(TensorId x, int64_t channels);
  /// A convolution with weights of these dimensions; `depth`: number of products per result.
  std::optional<TensorId> addFiltered(TensorId x, bool isDepthwise,
                                      const std::vector<int64_t>& dims, AttrMap attrs,
                                      double depth);
  /// A reduction over rows, with or without the columns: a sink, or an op that resembles one.
  std::optional<TensorId> addMean(TensorId x);
  /// Scales the channels of x by a function of its means.
  void addExcitation(TensorId x);
  /// Products of the rows of x with all rows, and of all rows with their softmax.
  void addAttention(TensorId x);
  /// Chains of windows of different lengths over x, joined.
  void addBranches(TensorId x);
  /// The sum or concatenation of x and an early tensor.
  void addLateJoin(TensorId x);
  void joinAll(std::vector<TensorId> parts);
  /// A shuffle or a split of the channels.
  void addChannelMove(TensorId x);
  void addNetOp();

  // --- recurrent layers: RandomSequences.cpp

  /// Steps, batch, and values per step.
  Shape sequenceShape();
  /// x in this form, if its rank is 3 or that of a layer's result.
  std::optional<TensorId> asSequence(TensorId x);
  /// A known tensor, a constant or a model input.
  TensorId firstState(const Shape& dims);
  void addRecurrent(TensorId before);
  void addSequenceOp();

  // --- operators that compute sums: RandomSums.cpp

  Activation activation(AttrMap& attrs);
  QuantParam weightQuant(int64_t channels, int axis);
  std::vector<int64_t> several(size_t count, int64_t first, int64_t last);
  std::vector<int64_t> windowPads(const std::vector<int64_t>& kernel,
                                  const std::vector<int64_t>& dilations, bool zero);
  void addBias(std::vector<TensorId>& inputs, int64_t channels);
  void addConv(TensorId x);
  void addConvTranspose(TensorId x);
  void addPool(TensorId x);
  void addGlobalPool(TensorId x);
  std::optional<TensorId> reduce(TensorId x, bool keep);
  std::optional<TensorId> reduceAlong(TensorId x, const std::vector<int64_t>& axes, bool keep);
  void addReduce(TensorId x);
  void addDense(TensorId x);
  /// Two activations, or an activation and a constant with more than two axes.
  void addProduct(TensorId x);

  // --- element-wise operators: RandomElements.cpp

  /// The shape with some axes set to 1 and possibly without leading ones.
  Shape broadcastable(const Shape& whole);
  TensorId partner(TensorId x);
  void addBinary(TensorId x);
  void addUnary(TensorId x);
  void addPerChannel(TensorId x);
  void addNormalization(TensorId x);
  void addBorder(TensorId x);

  // --- data movement: RandomMoves.cpp

  void addResize(TensorId x);
  void addPad(TensorId x);
  void addConcat(TensorId x);
  void addSlice(TensorId x);
  void addTranspose(TensorId x);
  /// Merges two axes, splits an axis, or inserts one of size 1.
  void addReshape(TensorId x);
  void addGather(TensorId x);

  // --- searches, and what reads or writes at computed indices: RandomIndices.cpp

  size_t someAxis(TensorId x) { return static_cast<size_t>(random_.below(size(shape(x).dims()))); }
  /// Indices along an axis of x, with x's other axes: of extremes, in a result with or without the
  /// axis, or constants.
  std::optional<TensorId> extremes(TensorId x, size_t axis, bool keep);
  TensorId constantIndices(const Shape& dims, int64_t limit);
  void addCumSum(TensorId x);
  void addTopK(TensorId x);
  void addGatherElements(TensorId x);
  void addScatterElements(TensorId x);
  void addGatherNd(TensorId x);
  void addScatterNd(TensorId x);
  void addIndexed(TensorId x);

  Random random_;
  bool hasSequences_ = false;
  bool hasIndices_ = false;
  Style style_ = Style::Any;
  Graph graph_;
  DType type_ = DType::Float32;
  std::vector<TensorId> known_;
  std::map<TensorId, double> magnitude_;
};

} // namespace tigris::property
