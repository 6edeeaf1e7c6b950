// The state of a random model in the making, and one function per family of operators. Internal to randomModel().
#pragma once

#include "RandomModel.h"

#include "tigris/IR/ShapeInference.h"

#include <map>
#include <optional>

namespace tigris::property {

/// Each `add...(x)` tries once to add an operator that reads x, and may find that x does not suit it.
class Generator {
public:
  explicit Generator(uint64_t seed) : random_(seed) {}

  Graph make(unsigned limit);

private:
  /// Any operators; poolings, one after the other; blocks of convolutional networks.
  enum class Style : uint8_t { Any, Tower, Net };

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
  /// Often a recent tensor.
  TensorId pick();
  TensorId constant(DType type, const Shape& dims, std::optional<QuantParam> quantized = {});
  /// x, or now and then a constant of its type, shape and scale.
  TensorId orConstant(TensorId x);
  /// Adds the op with a result quantized like that; nothing when the op cannot have these operands.
  std::optional<TensorId> add(OpKind kind, std::vector<TensorId> inputs, AttrMap attrs,
                              const QuantParam& quantized, double magnitude,
                              Activation act = Activation::None);
  /// `x` quantized like that.
  TensorId alike(TensorId x, const std::optional<QuantParam>& quantized);
  template <typename List> static int64_t size(const List& list) {
    return static_cast<int64_t>(list.size());
  }
  template <typename T> T oneOf(std::initializer_list<T> list) {
    return list.begin()[random_.below(size(list))];
  }
  void addOp();
  void addRandomOp();
  /// Mostly windows of three rows over the tensor made last: long streams, and maps that take each other's place.
  void addTowerOp();

  // --- blocks of networks: RandomNets.cpp

  /// Images, or sequences of rank 3, high enough for long streams.
  Shape netShape();
  /// A convolution or pool that keeps rows and columns if the stride is 1.
  void addWindow(TensorId x, int64_t stride);
  std::optional<TensorId> addPointwise(TensorId x, int64_t channels);
  /// A convolution with weights of these dimensions; `depth`: products in a result.
  std::optional<TensorId> addFiltered(TensorId x, bool isDepthwise,
                                      const std::vector<int64_t>& dims, AttrMap attrs,
                                      double depth);
  /// Over rows, with the columns or without: what can be a sink, and what looks like it.
  std::optional<TensorId> addMean(TensorId x);
  /// Scales the channels of x with what is computed from its means.
  void addExcitation(TensorId x);
  /// Chains of windows of different length over x, joined.
  void addBranches(TensorId x);
  /// The sum or concatenation of x and a tensor made long ago.
  void addLateJoin(TensorId x);
  void joinAll(std::vector<TensorId> parts);
  /// A shuffle of the channels, or a split.
  void addChannelMove(TensorId x);
  void addNetOp();

  // --- operators that sum up: RandomSums.cpp

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
  void addReduce(TensorId x);
  void addDense(TensorId x);
  /// Two activations, or an activation and a constant of more than two axes.
  void addProduct(TensorId x);

  // --- operators on elements: RandomElements.cpp

  /// The shape with some axes 1 and perhaps leading ones left out.
  Shape broadcastable(const Shape& whole);
  TensorId partner(TensorId x);
  void addBinary(TensorId x);
  void addUnary(TensorId x);
  void addPerChannel(TensorId x);
  void addNormalization(TensorId x);
  void addBorder(TensorId x);

  // --- operators that move: RandomMoves.cpp

  void addResize(TensorId x);
  void addPad(TensorId x);
  void addConcat(TensorId x);
  void addSlice(TensorId x);
  void addTranspose(TensorId x);
  /// Merges two axes, splits one, or inserts a 1.
  void addReshape(TensorId x);
  void addGather(TensorId x);

  Random random_;
  Style style_ = Style::Any;
  Graph graph_;
  DType type_ = DType::Float32;
  std::vector<TensorId> known_;
  std::map<TensorId, double> magnitude_;
};

} // namespace tigris::property
