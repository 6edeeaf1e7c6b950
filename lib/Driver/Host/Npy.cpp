// The header of a .npy file is a Python dictionary literal with three known keys.
#include "tigris/Driver/Host/Npy.h"

#include "tigris/Support/MathUtils.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace tigris {

namespace {

constexpr std::string_view Magic = "\x93NUMPY";

struct TypeCode {
  std::string_view code;
  DType type;
};
constexpr TypeCode TypeCodes[] = {
    {"<f4", DType::Float32}, {"|i1", DType::Int8},    {"|u1", DType::UInt8}, {"<i2", DType::Int16},
    {"<u2", DType::UInt16},  {"<i4", DType::Int32},   {"<i8", DType::Int64}, {"|b1", DType::Bool},
    {"<f2", DType::Float16}, {"<f8", DType::Float64}, {"<i1", DType::Int8},  {"<u1", DType::UInt8},
};

/// Reads one literal of the header after another.
class HeaderScanner {
public:
  explicit HeaderScanner(std::string_view text) : rest_(text) {}

  bool take(char c) {
    skipBlanks();
    if (!rest_.starts_with(c))
      return false;
    rest_.remove_prefix(1);
    return true;
  }
  bool takeWord(std::string_view word) {
    skipBlanks();
    if (!rest_.starts_with(word))
      return false;
    rest_.remove_prefix(word.size());
    return true;
  }
  std::optional<std::string> string() {
    skipBlanks();
    if (rest_.empty() || (rest_[0] != '\'' && rest_[0] != '"'))
      return std::nullopt;
    const size_t end = rest_.find(rest_[0], 1);
    if (end == std::string_view::npos)
      return std::nullopt;
    std::string text(rest_.substr(1, end - 1));
    rest_.remove_prefix(end + 1);
    return text;
  }
  std::optional<int64_t> integer() {
    skipBlanks();
    size_t digits = 0;
    while (digits < rest_.size() && rest_[digits] >= '0' && rest_[digits] <= '9')
      ++digits;
    const auto value = parseInt(rest_.substr(0, digits));
    rest_.remove_prefix(digits);
    return value;
  }

private:
  void skipBlanks() {
    while (!rest_.empty() && (rest_[0] == ' ' || rest_[0] == '\n'))
      rest_.remove_prefix(1);
  }
  std::string_view rest_;
};

struct Header {
  std::string descr;
  bool fortran = false;
  std::vector<int64_t> shape;
  bool hasDescr = false;
  bool hasShape = false;
};

std::optional<Header> parseHeader(std::string_view text) {
  HeaderScanner scan(text);
  Header header;
  if (!scan.take('{'))
    return std::nullopt;
  while (!scan.take('}')) {
    const auto key = scan.string();
    if (!key || !scan.take(':'))
      return std::nullopt;
    if (*key == "descr") {
      const auto descr = scan.string();
      if (!descr)
        return std::nullopt;
      header.descr = *descr;
      header.hasDescr = true;
    } else if (*key == "fortran_order") {
      header.fortran = scan.takeWord("True");
      if (!header.fortran && !scan.takeWord("False"))
        return std::nullopt;
    } else if (*key == "shape") {
      if (!scan.take('('))
        return std::nullopt;
      while (!scan.take(')')) {
        const auto dim = scan.integer();
        if (!dim)
          return std::nullopt;
        header.shape.push_back(*dim);
        scan.take(',');
      }
      header.hasShape = true;
    } else {
      return std::nullopt;
    }
    scan.take(',');
  }
  return header.hasDescr && header.hasShape ? std::optional(header) : std::nullopt;
}

/// Reorders column-major elements to row-major order.
std::vector<uint8_t> toRowMajor(const uint8_t* data, const Shape& shape, size_t elementSize) {
  const auto count = static_cast<size_t>(shape.elements());
  std::vector<uint8_t> result(count * elementSize);
  std::vector<int64_t> index(shape.rank(), 0);
  for (size_t i = 0; i < count; ++i) {
    size_t source = 0;
    for (size_t axis = shape.rank(); axis-- > 0;)
      source = source * static_cast<size_t>(shape[axis]) + static_cast<size_t>(index[axis]);
    std::memcpy(result.data() + i * elementSize, data + source * elementSize, elementSize);
    for (size_t axis = shape.rank(); axis-- > 0;) {
      if (++index[axis] < shape[axis])
        break;
      index[axis] = 0;
    }
  }
  return result;
}

} // namespace

Expected<NpyArray> parseNpy(std::string_view bytes, const std::string& name) {
  const auto bad = [&](const auto&... text) {
    return makeError(DiagId::BadValue, text...).at({name, 0, 0});
  };
  constexpr size_t Prefix = 8; // magic and version
  if (!bytes.starts_with(Magic) || bytes.size() < Prefix + 2)
    return bad("not a .npy file");
  const auto version = static_cast<unsigned char>(bytes[Magic.size()]);
  if (version < 1 || version > 3)
    return bad("the .npy format version is ", int{version}, ", this tool reads 1 to 3");
  const size_t lengthBytes = version == 1 ? 2 : 4;
  if (bytes.size() < Prefix + lengthBytes)
    return bad("the file ends inside its header");
  size_t length = 0;
  for (size_t i = lengthBytes; i-- > 0;)
    length = length << 8 | static_cast<unsigned char>(bytes[Prefix + i]);
  if (bytes.size() - Prefix - lengthBytes < length)
    return bad("the file ends inside its header");
  const auto header = parseHeader(bytes.substr(Prefix + lengthBytes, length));
  if (!header)
    return bad("the .npy header is not well-formed");

  NpyArray array;
  for (const TypeCode& code : TypeCodes)
    if (code.code == header->descr)
      array.type = code.type;
  if (array.type == DType::Undefined)
    return bad("arrays of type '", header->descr,
               "' are not read; convert with numpy: array.astype('<f4')");
  array.shape = Shape(header->shape);
  const auto elements = array.shape.checkedElements();
  if (!elements)
    return bad("the shape ", array.shape.str(), " is impossible");
  const std::string_view payload = bytes.substr(Prefix + lengthBytes + length);
  const uint64_t expected = static_cast<uint64_t>(*elements) * dtypeSize(array.type);
  if (payload.size() != expected)
    return bad("the file contains ", payload.size(), " bytes of data, shape ", array.shape.str(),
               " of ", dtypeName(array.type), " needs ", expected);
  const auto* data = reinterpret_cast<const uint8_t*>(payload.data());
  array.data = header->fortran ? toRowMajor(data, array.shape, dtypeSize(array.type))
                               : std::vector<uint8_t>(data, data + payload.size());
  return array;
}

std::string formatNpy(const NpyArray& array) {
  const auto* code = std::find_if(std::begin(TypeCodes), std::end(TypeCodes),
                                  [&](const TypeCode& entry) { return entry.type == array.type; });
  TIGRIS_CHECK(code != std::end(TypeCodes));
  std::string header = strCat("{'descr': '", code->code, "', 'fortran_order': False, 'shape': (",
                              join(array.shape, ", "), array.shape.rank() == 1 ? ",), }" : "), }");
  // NumPy ends the header so that the data starts at a multiple of 64.
  constexpr size_t Prefix = 10;
  header.resize(alignUp(Prefix + header.size() + 1, 64) - Prefix - 1, ' ');
  header += '\n';
  std::string bytes(Magic);
  bytes +=
      {'\1', '\0', static_cast<char>(header.size() & 0xFF), static_cast<char>(header.size() >> 8)};
  bytes += header;
  bytes.append(reinterpret_cast<const char*>(array.data.data()), array.data.size());
  return bytes;
}

} // namespace tigris
