// Each output channel has a ratio of scales, a bound on its sums, and a bias. They determine how
// the op is rounded.
#include "tigris/Emit/DenseRequant.h"

#include <algorithm>
#include <cmath>

namespace tigris {

namespace {

template <typename T> T elementOf(const Tensor& tensor, size_t index) {
  T value;
  copyBytes(&value, tensor.data->bytes().subspan(index * sizeof(T), sizeof(T)));
  return value;
}

/// A bias as integer * scale, or as an integer in accumulator units.
struct Bias {
  int64_t integer = 0;
  float scale = 1;
  bool inUnits = true;
};

/// A float as an integer of 24 bits times a power of 2. Denormals count as 0.
Bias biasOf(float real) {
  constexpr int Bits = 24;
  int exponent = 0;
  const float fraction = std::frexp(real, &exponent);
  const float scale = std::ldexp(1.0F, exponent - Bits);
  if (!std::isnormal(real) || scale == 0)
    return {};
  return {static_cast<int64_t>(std::ldexp(fraction, Bits)), scale, false};
}

/// One output channel.
struct Channel {
  float weightScale = 1;
  Ratio ratio;
  /// Bound on the magnitude of its sum of products.
  double most = 0;
  Bias bias;
  /// The bias in accumulator units, and the nearest integer.
  double units = 0;
  int64_t nearest = 0;
  /// Whether replacing the bias by `nearest` changes results by less than the smallest difference
  /// that matters.
  bool isInteger = true;

  double mostWithBias() const { return most + std::abs(static_cast<double>(nearest)); }
};

class DenseChannels {
public:
  DenseChannels(LoweringContext& context, const Op& op, const DenseForm& form)
      : context_(context), op_(op), form_(form), type_(tensor(0).type) {}

  Expected<DenseRequant> run() {
    if (Status status = readQuants(); !status)
      return status.takeError();
    if (Status status = readBias(); !status)
      return status.takeError();
    DenseRequant result;
    const bool even = context_.roundsEven() && needsEven();
    if (even)
      roundEven(result);
    else if (Status status = multiply(result); !status)
      return status.takeError();
    storeZeros(result);
    result.form.requant = context_.image().requant(constants_);
    return result;
  }

private:
  const Tensor& tensor(size_t index) const { return context_.graph().tensor(op_.input(index)); }

  template <typename... Args> Error fail(const Args&... text) const {
    return LoweringContext::unsupported(op_, text...);
  }

  Status readQuants() {
    const auto quants = context_.quants(op_);
    if (!quants)
      return quants.error();
    input_ = quants->input;
    output_ = quants->output;
    const Tensor& weights = tensor(1);
    if (!weights.quant)
      return fail("weights '", weights.name, "' are int8 without quantization");
    const QuantParam& quant = *weights.quant;
    if (quant.perChannel() &&
        (quant.axis != form_.channelAxis || form_.channels % quant.scale.size() != 0))
      return fail("weights '", weights.name, "' are quantized along axis ", quant.axis, " with ",
                  quant.scale.size(), " scales, expected axis ", form_.channelAxis, " with ",
                  form_.channels);
    const std::vector<double> sums = weightSums();
    channels_.resize(form_.channels);
    for (size_t c = 0; c < form_.channels; ++c) {
      // Grouped transposed convolutions repeat their scales for each group.
      Channel& channel = channels_[c];
      channel.weightScale = quant.scale[c % quant.scale.size()];
      channel.ratio = ratioOf({input_.scale, channel.weightScale}, {output_.scale});
      channel.most =
          sums[c % sums.size()] * static_cast<double>(largestMagnitude(type_, input_.zeroPoint));
    }
    return {};
  }

  /// Sum of |w - zero point| for each index on the axis of channels.
  std::vector<double> weightSums() const {
    const Tensor& weights = tensor(1);
    const auto axis = static_cast<size_t>(form_.channelAxis);
    const auto size = static_cast<size_t>(weights.shape[axis]);
    const auto inner = static_cast<size_t>(weights.shape.elementsFrom(axis + 1));
    const std::vector<int32_t>& zeros = weights.quant->zeroPoint;
    const std::span<const uint8_t> bytes = weights.data->bytes();
    std::vector<double> sums(size);
    for (size_t i = 0; i < bytes.size(); ++i) {
      const size_t c = i / inner % size;
      sums[c] += std::abs(static_cast<int8_t>(bytes[i]) - zeros[c % zeros.size()]);
    }
    return sums;
  }

  Status readBias() {
    if (!op_.input(2))
      return {};
    const Tensor& bias = tensor(2);
    if (!bias.isConstant())
      return fail("bias '", bias.name, "' is not constant");
    const auto count = static_cast<size_t>(bias.elements());
    if (count != form_.channels && count != 1)
      return fail("bias '", bias.name, "' has ", count, " values, expected ", form_.channels);
    if (bias.type != DType::Int32 && bias.type != DType::Float32)
      return fail("bias '", bias.name, "' is ", dtypeName(bias.type), ", expected int32");
    for (size_t c = 0; c < form_.channels; ++c) {
      const size_t index = count == 1 ? 0 : c;
      if (bias.type == DType::Float32 && !std::isfinite(elementOf<float>(bias, index)))
        return fail("bias '", bias.name, "' of channel ", c, " is not finite");
      setBias(channels_[c], bias, index);
    }
    return {};
  }

  /// An integer already in accumulator units, up to float32 rounding of its scale, is kept.
  void setBias(Channel& channel, const Tensor& tensor, size_t index) const {
    constexpr double SameScale = 1e-6;
    const double unit =
        static_cast<double>(input_.scale) * static_cast<double>(channel.weightScale);
    if (tensor.type == DType::Float32) {
      channel.bias = biasOf(elementOf<float>(tensor, index));
    } else if (!tensor.quant) {
      channel.bias = {elementOf<int32_t>(tensor, index), 1, true};
    } else {
      const float scale = tensor.quant->scale[index % tensor.quant->scale.size()];
      const int32_t zero = tensor.quant->zeroPoint[index % tensor.quant->zeroPoint.size()];
      channel.bias = {int64_t{elementOf<int32_t>(tensor, index)} - zero, scale,
                      zero == 0 && std::abs(scale - unit) <= SameScale * unit};
    }
    const auto integer = static_cast<double>(channel.bias.integer);
    channel.units = channel.bias.inUnits ? integer : integer * channel.bias.scale / unit;
    roundUnits(channel);
  }

  void roundUnits(Channel& channel) const {
    const double rounded =
        context_.roundsEven() ? std::nearbyint(channel.units) : std::round(channel.units);
    const bool fits = std::abs(rounded) <= std::numeric_limits<int32_t>::max();
    channel.nearest = fits ? static_cast<int64_t>(rounded) : 0;
    const double error = std::abs(channel.units - rounded) * channel.ratio.value();
    const bool tie = mayTie(channel.ratio, channel.mostWithBias(), type_);
    channel.isInteger = fits && (error == 0 || (!tie && error <= std::ldexp(1.0, -20)));
  }

  bool needsEven() const {
    return std::any_of(channels_.begin(), channels_.end(), [&](const Channel& channel) {
      return !channel.isInteger || mayTie(channel.ratio, channel.mostWithBias(), type_);
    });
  }

  bool isPerChannel() const { return tensor(1).quant->perChannel(); }

  void appendWord(uint32_t word) {
    for (int shift = 0; shift < 32; shift += 8)
      constants_ += static_cast<char>(word >> shift & UINT8_MAX);
  }

  void storePairs(const std::vector<Multiplier>& pairs, DenseRequant& result) {
    for (const Multiplier& pair : pairs)
      appendWord(static_cast<uint32_t>(pair.multiplier));
    const bool equal = std::all_of(pairs.begin(), pairs.end(), [&](const Multiplier& pair) {
      return pair.shift == pairs[0].shift;
    });
    const bool wide = context_.wideShifts();
    for (size_t c = 0; c < (equal && !wide ? 1 : pairs.size()); ++c) {
      if (wide)
        appendWord(static_cast<uint32_t>(pairs[c].shift));
      else
        constants_ += static_cast<char>(pairs[c].shift);
    }
    result.form.flags |=
        (pairs.size() > 1 ? TIGRIS_CHANNEL_PAIRS : 0) | (wide     ? TIGRIS_WIDE_SHIFTS
                                                         : !equal ? TIGRIS_CHANNEL_SHIFTS
                                                                  : 0);
  }

  void roundEven(DenseRequant& result) {
    std::vector<EvenScale> scales;
    for (const Channel& channel : channels_) {
      EvenScale scale = evenScale(
          channel.ratio, channel.mostWithBias(), type_,
          channel.isInteger ? ExactReal()
                            : quotientOf(channel.bias.integer, channel.bias.scale, output_.scale));
      if (channel.isInteger)
        scale.offset = channel.nearest * scale.numerator;
      scales.push_back(scale);
    }
    const auto append = [&](auto&& part) {
      for (const EvenScale& scale : scales)
        appendWord(static_cast<uint32_t>(part(scale)));
    };
    append([](const EvenScale& s) { return s.numerator; });
    append([](const EvenScale& s) { return s.denominator; });
    append([](const EvenScale& s) { return static_cast<uint64_t>(s.offset) & UINT32_MAX; });
    append([](const EvenScale& s) { return static_cast<uint64_t>(s.offset) >> 32; });
    result.form.flags |= TIGRIS_ROUND_EVEN | (scales.size() > 1 ? TIGRIS_CHANNEL_PAIRS : 0);
  }

  Status multiply(DenseRequant& result) {
    std::vector<Multiplier> multipliers;
    const bool narrow = type_ == DType::Int16 && op_.attrs.getInt("narrow_sums") != 0;
    for (size_t c = 0; c < (isPerChannel() ? form_.channels : 1); ++c) {
      const double scale = form_.scaleOf(input_.scale, channels_[c].weightScale, output_.scale);
      multipliers.push_back(narrow ? quantizeMultiplier(scale)
                                   : sumMultiplier(scale, form_.rounding, type_));
    }
    result.form.flags |= narrow ? TIGRIS_ROUND_TWICE : 0;
    storePairs(multipliers, result);
    for (size_t c = 0; op_.input(2) && c < form_.channels; ++c) {
      const Channel& channel = channels_[c];
      if (std::abs(channel.units) > std::numeric_limits<int32_t>::max())
        return fail("bias '", tensor(2).name, "' of channel ", c, " is ",
                    static_cast<double>(channel.bias.integer) * channel.bias.scale,
                    ", which is not an int32 in units of ",
                    static_cast<double>(input_.scale) * channel.weightScale,
                    "; quantize the layer with a larger weight scale");
      result.bias.push_back(static_cast<int32_t>(channel.nearest));
    }
    return {};
  }

  void storeZeros(DenseRequant& result) {
    const std::vector<int32_t>& given = tensor(1).quant->zeroPoint;
    if (std::all_of(given.begin(), given.end(), [](int32_t zero) { return zero == 0; }))
      return;
    const size_t count = isPerChannel() ? form_.channels : 1;
    for (size_t c = 0; c < count; ++c)
      constants_ += static_cast<char>(given[c % given.size()]);
    result.form.flags |= count > 1 ? TIGRIS_CHANNEL_ZEROS : TIGRIS_ONE_ZERO;
  }

  LoweringContext& context_;
  const Op& op_;
  DenseForm form_;
  DType type_;
  Quant input_;
  Quant output_;
  std::vector<Channel> channels_;
  /// What REQUANT holds for the op.
  std::string constants_;
};

} // namespace

Expected<DenseRequant> denseRequant(LoweringContext& context, const Op& op, const DenseForm& form) {
  return DenseChannels(context, op, form).run();
}

} // namespace tigris
