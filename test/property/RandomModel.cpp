// One function per family of operators; each tries once and may find that its operands do not suit it.
#include "RandomModel.h"

#include "tigris/IR/ShapeInference.h"
#include "tigris/Support/StringUtils.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>

namespace tigris::property {

namespace {

constexpr int64_t MaxElements = 4096;
/// Values of floats stay far from overflow: no result depends on how a NaN is made.
constexpr double MaxMagnitude = 1e4;

class Generator {
public:
  explicit Generator(uint64_t seed) : random_(seed) {}

  Graph make(unsigned limit) {
    graph_.setStage(GraphStage::Normalized);
    graph_.setLayout(Layout::ChannelsLast);
    graph_.setModelName("random");
    type_ = random_.percent(50) ? DType::Float32 : DType::Int8;
    graph_.setRounding(random_.percent(50) ? IntegerRounding::Once : IntegerRounding::Twice);
    const int64_t inputs = random_.percent(60) ? 1 : random_.in(2, 3);
    for (int64_t i = 0; i < inputs; ++i)
      addInput();
    const int64_t ops = random_.in(1, 14);
    const size_t count = limit == 0 ? static_cast<size_t>(ops) : limit;
    for (int tries = 0; graph_.order().size() < count && tries < 400; ++tries)
      addRandomOp();
    addOutputs();
    graph_.eraseUnusedTensors();
    return std::move(graph_);
  }

private:
  Random random_;
  Graph graph_;
  DType type_ = DType::Float32;
  std::vector<TensorId> known_;
  std::map<TensorId, double> magnitude_;

  // --- tensors

  QuantParam quant() {
    const auto scale = static_cast<float>(random_.in(1, 64)) / 256;
    const int64_t zero = random_.percent(30) ? random_.in(-128, 127) : random_.in(-20, 20);
    return {{scale}, {static_cast<int32_t>(zero)}, -1};
  }

  const Tensor& tensor(TensorId id) const { return graph_.tensor(id); }
  const Shape& shape(TensorId id) const { return tensor(id).shape; }
  bool isFloat(TensorId id) const { return tensor(id).type == DType::Float32; }

  TensorId addTensor(DType type, Shape dims, std::optional<QuantParam> quantized) {
    Tensor t;
    t.name = graph_.uniqueName("t");
    t.type = type;
    t.shape = std::move(dims);
    if (type == DType::Int8)
      t.quant = std::move(quantized);
    return graph_.addTensor(std::move(t));
  }

  static Port port(const Tensor& t, TensorId id, std::string name) {
    return {std::move(name), id, t.type, t.shape, {}};
  }

  Shape inputShape() {
    const int64_t batch = random_.percent(75) ? 1 : random_.in(2, 3);
    const int64_t kind = random_.below(10);
    if (kind < 6)
      return {batch, random_.in(1, 14), random_.in(1, 14), random_.in(1, 10)};
    if (kind < 8)
      return {batch, random_.in(1, 40), random_.in(1, 12)};
    return {batch * random_.in(1, 4), random_.in(1, 60)};
  }

  void addInput() {
    const Shape dims = !known_.empty() && random_.percent(40) ? shape(known_[0]) : inputShape();
    const TensorId id = addTensor(type_, dims, quant());
    graph_.addInput(port(tensor(id), id, tensor(id).name));
    known_.push_back(id);
    magnitude_[id] = 1;
  }

  void addOutputs() {
    std::vector<TensorId> chosen = {known_.back()};
    while (chosen.size() < 4 && random_.percent(35))
      chosen.push_back(known_[static_cast<size_t>(random_.below(size(known_)))]);
    for (size_t i = 0; i < chosen.size(); ++i)
      graph_.addOutput(port(tensor(chosen[i]), chosen[i], strCat("out", i)));
  }

  template <typename List> static int64_t size(const List& list) {
    return static_cast<int64_t>(list.size());
  }
  template <typename T> T oneOf(std::initializer_list<T> list) {
    return list.begin()[random_.below(size(list))];
  }
  /// Often a recent tensor.
  TensorId pick() {
    const int64_t window = random_.percent(60) ? std::min<int64_t>(2, size(known_)) : size(known_);
    return known_[known_.size() - 1 - static_cast<size_t>(random_.below(window))];
  }

  TensorId constant(DType type, const Shape& dims, std::optional<QuantParam> quantized = {}) {
    const auto count = static_cast<size_t>(dims.elements());
    BlobRef data;
    if (type == DType::Float32) {
      std::vector<float> values(count);
      for (float& value : values)
        value = static_cast<float>(random_.real() / 2);
      data = makeBlobOf(values);
    } else if (type == DType::Int32) {
      std::vector<int32_t> values(count);
      for (int32_t& value : values)
        value = static_cast<int32_t>(random_.in(-3000, 3000));
      data = makeBlobOf(values);
    } else {
      std::vector<int8_t> values(count);
      for (int8_t& value : values)
        value = static_cast<int8_t>(random_.in(-128, 127));
      data = makeBlobOf(values);
    }
    const TensorId id = graph_.addConstant("c", type, dims, data);
    if (quantized)
      graph_.editTensor(id).quant = std::move(quantized);
    return id;
  }

  // --- operators

  /// Adds the op with a result quantized like that; nothing when the op cannot have these operands.
  std::optional<TensorId> add(OpKind kind, std::vector<TensorId> inputs, AttrMap attrs,
                              const QuantParam& quantized, double magnitude,
                              Activation act = Activation::None) {
    Op op;
    op.kind = kind;
    op.name = graph_.uniqueName("op");
    op.inputs = std::move(inputs);
    op.attrs = std::move(attrs);
    op.act = act;
    ResultType result;
    if (kind == OpKind::QuantizeLinear || kind == OpKind::Requantize) {
      result = {DType::Int8, shape(op.input(0))};
    } else {
      const Expected<std::vector<ResultType>> results = inferResults(op, KnownValues(graph_));
      if (!results)
        return std::nullopt;
      result = (*results)[0];
    }
    const auto elements = result.shape.checkedElements();
    if (!elements || *elements < 1 || *elements > MaxElements || magnitude > MaxMagnitude)
      return std::nullopt;
    const TensorId id = addTensor(result.type, result.shape, quantized);
    op.outputs = {id};
    const OpId added = graph_.addOp(op);
    if (!checkSupported(graph_.op(added), graph_)) {
      graph_.eraseOp(added);
      return std::nullopt;
    }
    known_.push_back(id);
    magnitude_[id] = magnitude;
    return id;
  }

  /// `x` quantized like that.
  TensorId alike(TensorId x, const std::optional<QuantParam>& quantized) {
    if (isFloat(x) || tensor(x).quant == quantized)
      return x;
    return add(OpKind::Requantize, {x}, {}, *quantized, 1).value_or(x);
  }

  QuantParam sameQuant(TensorId x) const { return tensor(x).quant.value_or(QuantParam()); }

  Activation activation(AttrMap& attrs) {
    const auto act = oneOf({Activation::None, Activation::None, Activation::Relu, Activation::Relu6,
                            Activation::Clip});
    if (act == Activation::Clip) {
      attrs.set("act_min", -0.5);
      attrs.set("act_max", 0.75);
    }
    return act;
  }

  QuantParam weightQuant(int64_t channels, int axis) {
    if (random_.percent(40))
      return {{0.02F}, {random_.percent(30) ? static_cast<int32_t>(random_.in(-9, 9)) : 0}, -1};
    QuantParam quantized;
    const bool zeros = random_.percent(30);
    for (int64_t i = 0; i < channels; ++i) {
      quantized.scale.push_back(static_cast<float>(random_.in(1, 50)) / 1000);
      quantized.zeroPoint.push_back(zeros ? static_cast<int32_t>(random_.in(-9, 9)) : 0);
    }
    quantized.axis = axis;
    return quantized;
  }

  std::vector<int64_t> several(size_t count, int64_t first, int64_t last) {
    std::vector<int64_t> values;
    for (size_t i = 0; i < count; ++i)
      values.push_back(random_.in(first, last));
    return values;
  }

  std::vector<int64_t> windowPads(const std::vector<int64_t>& kernel,
                                  const std::vector<int64_t>& dilations, bool zero) {
    std::vector<int64_t> pads;
    for (size_t i = 0; i < 2 * kernel.size(); ++i) {
      const size_t axis = i % kernel.size();
      const int64_t most = (kernel[axis] - 1) * dilations[axis];
      pads.push_back(zero ? 0 : random_.in(0, most + (random_.percent(3) ? 2 : 0)));
    }
    return pads;
  }

  void addBias(std::vector<TensorId>& inputs, int64_t channels) {
    if (random_.percent(60))
      inputs.push_back(constant(isFloat(inputs[0]) ? DType::Float32 : DType::Int32, {channels}));
  }

  void addConv(TensorId x) {
    const size_t rank = shape(x).rank();
    if (rank < 3)
      return;
    const int64_t in = shape(x).fromBack(0);
    int64_t groups = 1;
    if (const int64_t kind = random_.below(10); kind < 3)
      groups = in;
    else if (kind < 5)
      for (int64_t g = 2; g < in; ++g)
        groups = in % g == 0 ? g : groups;
    const int64_t out = groups == 1 ? random_.in(1, 10) : groups * random_.in(1, 3);
    const std::vector<int64_t> kernel = several(rank - 2, 1, random_.percent(20) ? 5 : 3);
    const std::vector<int64_t> strides = several(rank - 2, 1, random_.percent(20) ? 5 : 2);
    const std::vector<int64_t> dilations = several(rank - 2, 1, random_.percent(25) ? 3 : 1);
    AttrMap attrs;
    attrs.set("strides", strides);
    attrs.set("dilations", dilations);
    attrs.set("pads", windowPads(kernel, dilations, random_.percent(30)));
    attrs.set("group", groups);
    Shape filter = {out, in / groups};
    std::vector<int64_t> dims = filter.dims();
    dims.insert(dims.end(), kernel.begin(), kernel.end());
    std::vector<TensorId> inputs = {
        x, constant(tensor(x).type, Shape(dims),
                    isFloat(x) ? std::optional<QuantParam>() : weightQuant(out, 0))};
    addBias(inputs, out);
    const Activation act = activation(attrs);
    const OpKind kind = groups == in && in > 1 && rank == 4 ? OpKind::DepthwiseConv
                        : rank == 3                         ? OpKind::Conv1D
                                                            : OpKind::Conv;
    const int64_t depth =
        std::accumulate(dims.begin() + 1, dims.end(), int64_t{1}, std::multiplies<>());
    add(kind, inputs, attrs, quant(), magnitude_[x] * static_cast<double>(depth) / 2 + 1, act);
  }

  void addConvTranspose(TensorId x) {
    const size_t rank = shape(x).rank();
    if (rank < 3)
      return;
    const int64_t in = shape(x).fromBack(0);
    const int64_t groups = random_.percent(30) && in % 2 == 0 ? 2 : 1;
    const int64_t out = groups * random_.in(1, 6);
    const std::vector<int64_t> kernel = several(rank - 2, 1, 4);
    const std::vector<int64_t> strides = several(rank - 2, 1, 3);
    const std::vector<int64_t> dilations = several(rank - 2, 1, random_.percent(25) ? 2 : 1);
    AttrMap attrs;
    attrs.set("strides", strides);
    attrs.set("dilations", dilations);
    std::vector<int64_t> pads = windowPads(kernel, dilations, random_.percent(40));
    for (int64_t& pad : pads)
      pad = std::min<int64_t>(pad, 2);
    attrs.set("pads", pads);
    if (random_.percent(30)) {
      std::vector<int64_t> extra;
      for (const int64_t stride : strides)
        extra.push_back(random_.in(0, stride - 1));
      attrs.set("output_padding", extra);
    }
    attrs.set("group", groups);
    std::vector<int64_t> dims = {in, out / groups};
    dims.insert(dims.end(), kernel.begin(), kernel.end());
    std::vector<TensorId> inputs = {
        x, constant(tensor(x).type, Shape(dims),
                    isFloat(x) ? std::optional<QuantParam>() : weightQuant(out / groups, 1))};
    addBias(inputs, out);
    const Activation act = activation(attrs);
    add(OpKind::ConvTranspose, inputs, attrs, quant(), magnitude_[x] * static_cast<double>(in) * 8,
        act);
  }

  void addPool(TensorId x) {
    const size_t rank = shape(x).rank();
    if (rank < 3)
      return;
    const OpKind kind = random_.percent(50) ? OpKind::MaxPool : OpKind::AveragePool;
    const std::vector<int64_t> kernel = several(rank - 2, 1, 4);
    const std::vector<int64_t> dilations = several(rank - 2, 1, random_.percent(20) ? 2 : 1);
    AttrMap attrs;
    attrs.set("kernel_shape", kernel);
    attrs.set("strides", several(rank - 2, 1, random_.percent(20) ? 5 : 3));
    attrs.set("dilations", dilations);
    attrs.set("pads", windowPads(kernel, dilations, random_.percent(30)));
    attrs.set("ceil_mode", random_.below(2));
    if (kind == OpKind::AveragePool)
      attrs.set("count_include_pad", random_.below(2));
    add(kind, {x}, attrs, sameQuant(x), magnitude_[x]);
  }

  void addGlobalPool(TensorId x) {
    if (shape(x).rank() >= 3)
      add(random_.percent(60) ? OpKind::GlobalAveragePool : OpKind::GlobalMaxPool, {x}, {},
          sameQuant(x), magnitude_[x]);
  }

  std::optional<TensorId> reduce(TensorId x, bool keep) {
    const OpKind kind =
        isFloat(x)
            ? oneOf({OpKind::ReduceMean, OpKind::ReduceSum, OpKind::ReduceMax, OpKind::ReduceMin})
            : oneOf({OpKind::ReduceMean, OpKind::ReduceMax, OpKind::ReduceMin});
    std::vector<int64_t> axes;
    for (size_t axis = 0; axis < shape(x).rank(); ++axis)
      if (random_.percent(45))
        axes.push_back(static_cast<int64_t>(axis) -
                       (random_.percent(30) ? size(shape(x).dims()) : 0));
    if (axes.empty())
      axes.push_back(-1);
    AttrMap attrs;
    attrs.set("axes", axes);
    attrs.set("keepdims", int64_t{keep ? 1 : 0});
    const bool requantizes = kind == OpKind::ReduceMean && random_.percent(50);
    return add(kind, {x}, attrs, requantizes ? quant() : sameQuant(x),
               kind == OpKind::ReduceSum ? magnitude_[x] * static_cast<double>(shape(x).elements())
                                         : magnitude_[x]);
  }

  void addReduce(TensorId x) {
    const bool keep = random_.percent(60) || shape(x).rank() < 3;
    reduce(x, keep);
  }

  /// The shape with some axes 1 and perhaps leading ones left out.
  Shape broadcastable(const Shape& whole) {
    std::vector<int64_t> dims = whole.dims();
    switch (random_.below(5)) {
    case 0: // per channel
      for (size_t i = 0; i + 1 < dims.size(); ++i)
        dims[i] = 1;
      break;
    case 1:
      break;
    default:
      for (int64_t& dim : dims)
        dim = random_.percent(50) ? 1 : dim;
    }
    while (dims.size() > 1 && dims[0] == 1 && random_.percent(50))
      dims.erase(dims.begin());
    return Shape(dims);
  }

  TensorId partner(TensorId x) {
    const int64_t way = random_.below(10);
    if (way < 3)
      return constant(tensor(x).type, broadcastable(shape(x)),
                      isFloat(x) ? std::optional<QuantParam>() : quant());
    if (way < 5)
      return reduce(x, true).value_or(x);
    std::vector<TensorId> fitting;
    for (const TensorId id : known_)
      if (tensor(id).type == tensor(x).type && broadcast(shape(id), shape(x)))
        fitting.push_back(id);
    return fitting[static_cast<size_t>(random_.below(size(fitting)))];
  }

  void addBinary(TensorId x) {
    TensorId other = partner(x);
    OpKind kind = oneOf({OpKind::Add, OpKind::Add, OpKind::Sub, OpKind::Mul, OpKind::Mul,
                         OpKind::Max, OpKind::Min});
    QuantParam result = quant();
    if (kind == OpKind::Max || kind == OpKind::Min) {
      result = sameQuant(x);
      if (!isFloat(x) && tensor(other).isConstant())
        graph_.editTensor(other).quant = result;
      else
        other = alike(other, result);
    }
    const double m = tensor(other).isConstant() ? 1 : magnitude_[other];
    const double magnitude = kind == OpKind::Mul ? magnitude_[x] * m : magnitude_[x] + m;
    AttrMap attrs;
    const bool clamps = kind != OpKind::Max && kind != OpKind::Min;
    const Activation act = clamps ? activation(attrs) : Activation::None;
    std::vector<TensorId> inputs = {x, other};
    if (random_.percent(40))
      std::swap(inputs[0], inputs[1]);
    add(kind, inputs, attrs, result, magnitude, act);
  }

  void addUnary(TensorId x) {
    const OpKind kind =
        oneOf({OpKind::Relu, OpKind::Relu6, OpKind::Clip, OpKind::LeakyRelu, OpKind::Sigmoid,
               OpKind::Tanh, OpKind::HardSwish, OpKind::Neg, OpKind::Abs, OpKind::Gelu});
    AttrMap attrs;
    if (kind == OpKind::Clip) {
      attrs.set("min", -0.25);
      attrs.set("max", 1.5);
    }
    add(kind, {x}, attrs, random_.percent(50) ? sameQuant(x) : quant(), magnitude_[x] + 1);
  }

  void addPerChannel(TensorId x) {
    if (!isFloat(x))
      return;
    const Shape channels = {shape(x).fromBack(0)};
    AttrMap attrs;
    if (random_.percent(50)) {
      const Activation act = activation(attrs);
      add(OpKind::BatchNorm,
          {x, constant(DType::Float32, channels), constant(DType::Float32, channels)}, attrs, {},
          magnitude_[x] + 1, act);
    } else {
      add(OpKind::PRelu, {x, constant(DType::Float32, broadcastable(shape(x)))}, {}, {},
          magnitude_[x]);
    }
  }

  void addNormalization(TensorId x) {
    AttrMap attrs;
    const int64_t axis = random_.in(-size(shape(x).dims()), size(shape(x).dims()) - 1);
    attrs.set("axis", axis);
    if (random_.percent(60) || !isFloat(x)) {
      add(isFloat(x) && random_.percent(30) ? OpKind::LogSoftmax : OpKind::Softmax, {x}, attrs,
          {{1.0F / 256}, {-128}, -1}, magnitude_[x] + 10);
      return;
    }
    const auto first = *normalizeAxis(axis, shape(x).rank());
    const Shape rest(std::vector<int64_t>(shape(x).begin() + static_cast<std::ptrdiff_t>(first),
                                          shape(x).end()));
    std::vector<TensorId> inputs = {x, constant(DType::Float32, rest)};
    if (random_.percent(60))
      inputs.push_back(constant(DType::Float32, rest));
    add(OpKind::LayerNormalization, inputs, attrs, {}, 50);
  }

  void addResize(TensorId x) {
    const size_t rank = shape(x).rank();
    if (rank != 3 && rank != 4)
      return;
    Shape target = shape(x);
    for (size_t axis = 1; axis + 1 < rank; ++axis)
      target[axis] = random_.in(1, 2 * target[axis] + 1);
    AttrMap attrs;
    attrs.set("sizes", target.dims());
    attrs.set("mode", isFloat(x) ? oneOf<std::string>({"nearest", "linear", "cubic"})
                                 : oneOf<std::string>({"nearest", "linear"}));
    attrs.set("coordinate_transformation_mode",
              oneOf<std::string>({"half_pixel", "align_corners", "asymmetric"}));
    attrs.set("nearest_mode", oneOf<std::string>({"floor", "round_prefer_floor", "ceil"}));
    add(OpKind::Resize, {x}, attrs, sameQuant(x), magnitude_[x] * 3);
  }

  void addPad(TensorId x) {
    const std::string mode = oneOf<std::string>({"constant", "edge", "reflect"});
    const size_t rank = shape(x).rank();
    std::vector<int64_t> pads(2 * rank, 0);
    for (size_t i = 0; i < pads.size(); ++i)
      if (random_.percent(45))
        pads[i] =
            std::min<int64_t>(random_.in(1, 5), mode == "reflect" ? shape(x)[i % rank] - 1 : 5);
    AttrMap attrs;
    attrs.set("pads", pads);
    attrs.set("mode", mode);
    if (mode == "constant" && random_.percent(50))
      attrs.set("value", 0.5);
    add(OpKind::Pad, {x}, attrs, sameQuant(x), magnitude_[x] + 1);
  }

  void addConcat(TensorId x) {
    const int64_t axis = random_.below(size(shape(x).dims()));
    std::vector<TensorId> inputs = {x};
    const int64_t count = random_.in(1, 3);
    for (int tries = 0; tries < 20 && size(inputs) <= count; ++tries) {
      const TensorId other = known_[static_cast<size_t>(random_.below(size(known_)))];
      Shape expected = shape(x);
      if (tensor(other).type != tensor(x).type || shape(other).rank() != expected.rank())
        continue;
      expected[static_cast<size_t>(axis)] = shape(other)[static_cast<size_t>(axis)];
      if (shape(other) == expected)
        inputs.push_back(alike(other, tensor(x).quant));
    }
    if (random_.percent(25)) {
      Shape dims = shape(x);
      dims[static_cast<size_t>(axis)] = random_.in(1, 3);
      inputs.push_back(constant(tensor(x).type, dims, tensor(x).quant));
    }
    double magnitude = 1;
    for (const TensorId id : inputs)
      magnitude = std::max(magnitude, magnitude_[id]);
    if (random_.percent(40))
      std::reverse(inputs.begin(), inputs.end());
    AttrMap attrs;
    attrs.set("axis", axis);
    add(OpKind::Concat, inputs, attrs, sameQuant(x), magnitude);
  }

  void addSlice(TensorId x) {
    std::vector<int64_t> starts;
    std::vector<int64_t> ends;
    std::vector<int64_t> axes;
    std::vector<int64_t> steps;
    for (size_t axis = 0; axis < shape(x).rank(); ++axis) {
      if (random_.percent(45))
        continue;
      const int64_t dim = shape(x)[axis];
      const int64_t a = random_.in(0, dim - 1);
      const int64_t b = random_.in(0, dim - 1);
      const int64_t step = random_.percent(60) ? 1 : random_.in(1, 3);
      axes.push_back(static_cast<int64_t>(axis));
      if (random_.percent(30)) { // backwards, down to and with the smaller one
        starts.push_back(std::max(a, b));
        ends.push_back(std::min(a, b) - 1 < 0 ? INT64_MIN : std::min(a, b) - 1);
        steps.push_back(-step);
      } else {
        starts.push_back(std::min(a, b));
        ends.push_back(std::max(a, b) + 1);
        steps.push_back(step);
      }
    }
    if (axes.empty())
      return;
    AttrMap attrs;
    attrs.set("starts", starts);
    attrs.set("ends", ends);
    attrs.set("axes", axes);
    attrs.set("steps", steps);
    add(OpKind::Slice, {x}, attrs, sameQuant(x), magnitude_[x]);
  }

  void addTranspose(TensorId x) {
    std::vector<int64_t> perm(shape(x).rank());
    std::iota(perm.begin(), perm.end(), 0);
    for (size_t i = perm.size(); i > 1; --i)
      std::swap(perm[i - 1], perm[static_cast<size_t>(random_.below(static_cast<int64_t>(i)))]);
    AttrMap attrs;
    attrs.set("perm", perm);
    add(OpKind::Transpose, {x}, attrs, sameQuant(x), magnitude_[x]);
  }

  /// Merges two axes, splits one, or inserts a 1.
  void addReshape(TensorId x) {
    std::vector<int64_t> dims = shape(x).dims();
    const auto at = static_cast<size_t>(random_.below(size(dims)));
    if (dims.size() > 2 && random_.percent(50)) {
      const size_t left = std::min(at, dims.size() - 2);
      dims[left] *= dims[left + 1];
      dims.erase(dims.begin() + static_cast<std::ptrdiff_t>(left) + 1);
    } else if (dims.size() < 4) {
      int64_t factor = 1;
      for (const int64_t f : {2, 3, 5})
        factor = dims[at] % f == 0 ? f : factor;
      dims[at] /= factor;
      dims.insert(dims.begin() + static_cast<std::ptrdiff_t>(at), factor);
    }
    AttrMap attrs;
    attrs.set("shape", dims);
    add(OpKind::Reshape, {x}, attrs, sameQuant(x), magnitude_[x]);
  }

  void addGather(TensorId x) {
    const int64_t axis = random_.below(size(shape(x).dims()));
    std::vector<int64_t> values;
    for (int64_t i = random_.in(1, 6); i > 0; --i)
      values.push_back(random_.below(shape(x)[static_cast<size_t>(axis)]));
    const TensorId indices =
        graph_.addConstant("c", DType::Int64, {size(values)}, makeBlobOf(values));
    AttrMap attrs;
    attrs.set("axis", axis);
    add(OpKind::Gather, {x, indices}, attrs, sameQuant(x), magnitude_[x]);
  }

  void addDense(TensorId x) {
    const int64_t depth = shape(x).fromBack(0);
    const int64_t out = random_.in(1, 24);
    const bool gemm = shape(x).rank() == 2 && random_.percent(70);
    const bool transposed = gemm && random_.percent(50);
    AttrMap attrs;
    if (gemm)
      attrs.set("transB", int64_t{transposed ? 1 : 0});
    const Shape dims = transposed ? Shape{out, depth} : Shape{depth, out};
    std::vector<TensorId> inputs = {x, constant(tensor(x).type, dims,
                                                isFloat(x) ? std::optional<QuantParam>()
                                                           : weightQuant(out, transposed ? 0 : 1))};
    Activation act = Activation::None;
    if (gemm) {
      addBias(inputs, out);
      act = activation(attrs);
    }
    add(gemm ? OpKind::Gemm : OpKind::MatMul, inputs, attrs, quant(),
        magnitude_[x] * static_cast<double>(depth), act);
  }

  /// Two activations, or an activation and a constant of more than two axes.
  void addProduct(TensorId x) {
    if (shape(x).rank() < 2)
      return;
    const double depth = static_cast<double>(shape(x).fromBack(0));
    const double magnitude = magnitude_[x] * magnitude_[x] * depth;
    if (shape(x).rank() == 2 && random_.percent(50)) {
      AttrMap attrs;
      attrs.set("transB", int64_t{1});
      add(OpKind::Gemm, {x, x}, attrs, quant(), magnitude);
      return;
    }
    std::vector<int64_t> perm(shape(x).rank());
    std::iota(perm.begin(), perm.end(), 0);
    std::swap(perm[perm.size() - 1], perm[perm.size() - 2]);
    if (random_.percent(30) && shape(x).rank() > 2) {
      std::vector<int64_t> dims = permute(shape(x), perm).dims();
      dims.back() = random_.in(1, 6);
      if (random_.percent(50))
        dims[0] = 1;
      const TensorId factor =
          constant(tensor(x).type, Shape(dims),
                   isFloat(x) ? std::optional<QuantParam>() : std::optional(quant()));
      add(OpKind::MatMul, {x, factor}, {}, quant(), magnitude_[x] * depth);
      return;
    }
    AttrMap attrs;
    attrs.set("perm", perm);
    if (const auto other = add(OpKind::Transpose, {x}, attrs, sameQuant(x), magnitude_[x])) {
      if (random_.percent(50))
        add(OpKind::MatMul, {x, *other}, {}, quant(), magnitude);
      else
        add(OpKind::MatMul, {*other, x}, {}, quant(),
            magnitude_[x] * magnitude_[x] * static_cast<double>(shape(x).fromBack(1)));
    }
  }

  void addBorder(TensorId x) {
    if (isFloat(x))
      add(OpKind::QuantizeLinear, {x}, {}, quant(), 1);
    else if (random_.percent(60))
      add(OpKind::DequantizeLinear, {x}, {}, {}, 32);
    else
      add(OpKind::Requantize, {x}, {}, quant(), 1);
  }

  void addRandomOp() {
    using Family = void (Generator::*)(TensorId);
    struct Entry {
      Family family;
      int64_t weight;
    };
    static constexpr std::array Families = {
        Entry{&Generator::addConv, 22},         Entry{&Generator::addConvTranspose, 5},
        Entry{&Generator::addPool, 8},          Entry{&Generator::addGlobalPool, 2},
        Entry{&Generator::addReduce, 3},        Entry{&Generator::addBinary, 14},
        Entry{&Generator::addUnary, 8},         Entry{&Generator::addPerChannel, 4},
        Entry{&Generator::addNormalization, 4}, Entry{&Generator::addResize, 6},
        Entry{&Generator::addPad, 6},           Entry{&Generator::addConcat, 7},
        Entry{&Generator::addSlice, 6},         Entry{&Generator::addTranspose, 3},
        Entry{&Generator::addReshape, 4},       Entry{&Generator::addGather, 2},
        Entry{&Generator::addDense, 6},         Entry{&Generator::addProduct, 3},
        Entry{&Generator::addBorder, 3}};
    int64_t total = 0;
    for (const Entry& entry : Families)
      total += entry.weight;
    int64_t at = random_.below(total);
    const TensorId x = pick();
    if (shape(x).rank() == 0)
      return addUnary(x);
    for (const Entry& entry : Families) {
      if (at < entry.weight)
        return (this->*entry.family)(x);
      at -= entry.weight;
    }
  }
};

} // namespace

Graph randomModel(uint64_t seed, unsigned ops) { return Generator(seed).make(ops); }

std::vector<std::vector<uint8_t>> randomInputs(const Graph& graph, uint64_t seed) {
  Random random(seed ^ 0x5DEECE66DU);
  std::vector<std::vector<uint8_t>> inputs;
  for (const Port& port : graph.inputs()) {
    const Tensor& tensor = graph.tensor(port.tensor);
    std::vector<uint8_t>& bytes = inputs.emplace_back(tensor.bytes());
    for (size_t i = 0; i < bytes.size(); i += dtypeSize(tensor.type)) {
      const auto real = static_cast<float>(random.real());
      if (tensor.type == DType::Float32)
        std::memcpy(&bytes[i], &real, sizeof real);
      else
        bytes[i] = static_cast<uint8_t>(random.below(256));
    }
  }
  return inputs;
}

} // namespace tigris::property
