// Walks a plan byte by byte. The file is untrusted: a damaged one is printed as far as its parts
// can be identified.
#include "tigris/Inspect/Dump.h"

#include "tigris/Inspect/HexFields.h"
#include "tigris/Support/Printable.h"

#include <algorithm>
#include <cstring>
#include <map>

namespace tigris {

namespace {

constexpr size_t RowBytes = 16;

std::string hexNumber(uint64_t value, size_t digits = 1) {
  static constexpr char Hex[] = "0123456789abcdef";
  std::string text;
  do {
    text.insert(text.begin(), Hex[value & 15]);
    value >>= 4;
  } while (value != 0 || text.size() < digits);
  return text;
}

/// Like printable(), in quotes, with quotes and backslashes escaped.
std::string quoteText(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\')
      result += "\\x" + hexNumber(static_cast<unsigned char>(c), 2);
    else
      result += c;
  }
  return printable(result + '"');
}

std::string typeName(uint64_t type) {
  const DType known = planDType(static_cast<unsigned>(type));
  return known == DType::Undefined ? strCat("type ", type) : std::string(dtypeName(known));
}

std::string sectionLabel(uint32_t type) {
  const std::string_view name = sectionName(type);
  return name.empty() ? strCat("section ", type) : std::string(name);
}

class HexWriter {
public:
  explicit HexWriter(std::string_view bytes) : bytes_(bytes) {}

  std::string make() {
    title("header");
    record(0, HeaderRecord, "header", bytes_.size());
    const auto header = read<tigris_header>(0);
    if (!header)
      return std::move(out_);
    sections_ = planSections(bytes_);
    uint64_t end = std::min<uint64_t>(header->header_size, bytes_.size());
    if (end > sizeof *header)
      raw(sizeof *header, end, "header, of a later version");
    if (!sections_.empty())
      title(strCat("directory, ", sections_.size(), " sections"));
    for (const PlanSection& section : sections_) {
      row(end, sizeof(uint32_t), sectionLabel(section.type), strCat(section.length));
      end += sizeof(uint32_t);
    }
    collectUsers();
    for (const PlanSection& section : sections_) {
      if (section.length == 0)
        continue;
      if (section.offset > bytes_.size() || section.length > bytes_.size() - section.offset) {
        title(strCat(sectionLabel(section.type), " at 0x", hexNumber(section.offset), ", ",
                     section.length, " bytes: reaches past the end of the file"));
        break;
      }
      padding(end, section.offset);
      title(strCat(sectionLabel(section.type), " at 0x", hexNumber(section.offset), ", ",
                   section.length, " bytes"));
      show(section);
      end = section.offset + section.length;
    }
    if (end < bytes_.size())
      padding(end, bytes_.size());
    return std::move(out_);
  }

private:
  template <typename T> std::optional<T> read(uint64_t offset) const {
    if (offset > bytes_.size() || sizeof(T) > bytes_.size() - offset)
      return std::nullopt;
    T value;
    std::memcpy(&value, bytes_.data() + offset, sizeof value);
    return value;
  }

  const PlanSection* find(uint32_t type) const {
    for (const PlanSection& section : sections_)
      if (section.type == type && section.offset <= bytes_.size() &&
          section.length <= bytes_.size() - section.offset)
        return &section;
    return nullptr;
  }

  /// The complete records of an array section.
  template <typename T> std::vector<T> records(uint32_t type) const {
    std::vector<T> result;
    if (const PlanSection* section = find(type))
      for (uint64_t at = 0; at + sizeof(T) <= section->length; at += sizeof(T))
        result.push_back(*read<T>(section->offset + at));
    return result;
  }

  std::optional<std::string_view> string(uint32_t reference) const {
    const PlanSection* section = find(TIGRIS_SECTION_STRINGS);
    if (section == nullptr || reference >= section->length)
      return std::nullopt;
    const std::string_view rest = bytes_.substr(section->offset, section->length).substr(reference);
    return rest.substr(0, rest.find('\0'));
  }

  std::string nameOf(const char* what, size_t index, uint32_t reference) const {
    const auto name = reference == TIGRIS_NONE ? std::nullopt : string(reference);
    return name && !name->empty() ? strCat(what, " ", index, " ", quoteText(*name))
                                  : strCat(what, " ", index);
  }

  // --- lines

  void title(const std::string& text) {
    out_ += strCat(out_.empty() ? "" : "\n", "; ", text, "\n");
  }

  void row(uint64_t offset, size_t size, const std::string& label, const std::string& value) {
    std::string text = hexNumber(offset, 8) + " ";
    for (size_t i = 0; i < size; ++i)
      text += " " + hexNumber(static_cast<unsigned char>(bytes_[offset + i]), 2);
    text.resize(std::max(text.size(), size_t{9 + 3 * 8}), ' ');
    text += "  " + label;
    if (!value.empty())
      text += " = " + value;
    out_ += text + "\n";
  }

  /// Bytes of unknown meaning, in lines of sixteen.
  void raw(uint64_t begin, uint64_t end, const std::string& label) {
    for (uint64_t at = begin; at < end; at += RowBytes) {
      const size_t size = std::min<uint64_t>(RowBytes, end - at);
      row(at, size, at == begin ? label : "", "");
      while (out_.size() > 1 && out_[out_.size() - 2] == ' ')
        out_.erase(out_.size() - 2, 1);
    }
  }

  void padding(uint64_t begin, uint64_t end) {
    const std::string_view bytes = bytes_.substr(begin, end - begin);
    raw(begin, end,
        bytes.find_first_not_of('\0') == std::string_view::npos ? "padding"
                                                                : "padding that is not 0");
  }

  std::string valueText(const HexField& field, uint64_t value, uint64_t offset) const {
    const auto word = static_cast<uint32_t>(value);
    const bool none =
        (field.size == 4 && word == TIGRIS_NONE) || (field.size == 2 && word == UINT16_MAX);
    switch (field.kind) {
    case FieldKind::Unsigned:
      return none ? "none" : strCat(value);
    case FieldKind::Address:
      return none ? "none" : "0x" + hexNumber(value);
    case FieldKind::Signed:
      return strCat(static_cast<int32_t>(word));
    case FieldKind::Float:
      return formatFloat(*read<float>(offset));
    case FieldKind::Scalar:
      return strCat(formatFloat(*read<float>(offset)), " or ", static_cast<int32_t>(word));
    case FieldKind::String: {
      const auto text = none ? std::nullopt : string(word);
      return none ? "none" : strCat(value, text ? " " + quoteText(*text) : " (no such string)");
    }
    case FieldKind::Opcode:
      return strCat(value, " ", opcodeName(static_cast<unsigned>(value)));
    case FieldKind::Type:
      return strCat(value, " ", typeName(value));
    case FieldKind::Pool:
      return strCat(value, " ", planPoolName(value));
    case FieldKind::StageMode:
      return strCat(value, " ", planModeName(value));
    case FieldKind::Characters:
      return quoteText(bytes_.substr(offset, 1));
    }
    TIGRIS_UNREACHABLE("a kind of field without a text");
  }

  /// Returns the end of the printed bytes: that of the record, or `end` if the bytes stop before.
  uint64_t record(uint64_t offset, const HexRecord& shape, const std::string& label, uint64_t end) {
    for (const HexField& field : shape.fields)
      for (unsigned i = 0; i < field.count; ++i) {
        const uint64_t at = offset + field.offset + uint64_t{i} * field.size;
        if (at >= end)
          return end;
        if (end - at < field.size) {
          raw(at, end, strCat(label, ".", field.name, ", cut off"));
          return end;
        }
        uint64_t value = 0;
        std::memcpy(&value, bytes_.data() + at, field.size);
        row(at, field.size,
            strCat(label, ".", field.name, field.count > 1 ? strCat("[", i, "]") : std::string()),
            valueText(field, value, at));
      }
    return offset + shape.size;
  }

  // --- references

  /// Labels the start of each range of INTS, REQUANT, PARAMS and WEIGHTS with the record that
  /// refers to it.
  void collectUsers() {
    const auto tensors = records<tigris_tensor>(TIGRIS_SECTION_TENSORS);
    for (size_t i = 0; i < tensors.size(); ++i) {
      if (tensors[i].rank != 0)
        ints_.try_emplace(tensors[i].dims, strCat("tensor ", i, ", dimensions"));
    }
    const auto ports = records<tigris_port>(TIGRIS_SECTION_PORTS);
    for (size_t i = 0; i < ports.size(); ++i) {
      const std::string name = nameOf("port", i, ports[i].name);
      if (ports[i].rank != 0)
        ints_.try_emplace(ports[i].dims, name + ", dimensions");
      if (ports[i].perm != TIGRIS_NO_PERM)
        ints_.try_emplace(ports[i].perm, name + ", axes");
    }
    const auto blocks = records<tigris_weight_block>(TIGRIS_SECTION_BLOCKS);
    for (size_t i = 0; i < blocks.size(); ++i)
      weights_.try_emplace(blocks[i].data, strCat("weight block ", i, ", packed"));
    for (size_t i = 0; i < ports.size(); ++i)
      if (ports[i].tensor < tensors.size() &&
          (tensors[ports[i].tensor].flags & TIGRIS_TENSOR_CONST) != 0)
        weights_.try_emplace(ports[i].offset, strCat("port ", i));
    const auto ops = records<tigris_op>(TIGRIS_SECTION_OPS);
    for (size_t i = 0; i < ops.size(); ++i)
      if (const HexRecord* shape = paramsRecord(ops[i].opcode)) {
        params_.try_emplace(paramsAt(ops[i]), Params{ops[i].opcode, shape->size, i});
        addParamUsers(ops[i], i);
      }
    const auto operands = records<tigris_operand>(TIGRIS_SECTION_OPERANDS);
    const auto ints = records<int32_t>(TIGRIS_SECTION_INTS);
    for (size_t i = 0; i < ops.size(); ++i) {
      for (uint64_t k = 0; k < ops[i].inputs && ops[i].operands + k < operands.size(); ++k)
        if (operands[ops[i].operands + k].pool == TIGRIS_POOL_CONST)
          weights_.try_emplace(operands[ops[i].operands + k].offset,
                               strCat("op ", i, ", input ", k));
      const uint64_t weights = uint64_t{ops[i].operands} + 1;
      if (ops[i].requant == TIGRIS_NONE || weights >= operands.size() ||
          operands[weights].tensor >= tensors.size())
        continue;
      const tigris_tensor& tensor = tensors[operands[weights].tensor];
      const uint64_t dim = uint64_t{tensor.dims} + (tensor.rank == 3 ? 2 : 0);
      if (dim < ints.size())
        addRequantization(ops[i], strCat("op ", i), static_cast<uint32_t>(ints[dim]));
    }
  }

  /// The arrays of a dense op with this number of channels.
  void addRequantization(const tigris_op& op, const std::string& name, uint32_t channels) {
    const uint32_t pairs = (op.flags & TIGRIS_CHANNEL_PAIRS) != 0 ? channels : 1;
    uint64_t at = uint64_t{op.requant} * sizeof(int32_t);
    const auto add = [&](const char* what, uint64_t count, uint64_t size) {
      requant_.try_emplace(at, Numbers{strCat(name, ", ", what), count, size});
      at += count * size;
    };
    add("multipliers", pairs, sizeof(int32_t));
    if ((op.flags & TIGRIS_ROUND_EVEN) != 0) {
      add("denominators", pairs, sizeof(int32_t));
      add("low words of offsets", pairs, sizeof(int32_t));
      add("high words of offsets", pairs, sizeof(int32_t));
    } else if ((op.flags & TIGRIS_WIDE_SHIFTS) != 0) {
      add("shifts", pairs, sizeof(int32_t));
    } else {
      add("shifts", (op.flags & TIGRIS_CHANNEL_SHIFTS) != 0 ? pairs : 1, 1);
    }
    if ((op.flags & (TIGRIS_ONE_ZERO | TIGRIS_CHANNEL_ZEROS)) != 0)
      add("zero points", (op.flags & TIGRIS_CHANNEL_ZEROS) != 0 ? channels : 1, 1);
  }

  static uint64_t paramsAt(const tigris_op& op) { return op.params * sizeof(uint32_t); }

  void addParamUsers(const tigris_op& op, size_t index) {
    const PlanSection* section = find(TIGRIS_SECTION_PARAMS);
    const HexRecord* shape = paramsRecord(op.opcode);
    const uint64_t params = paramsAt(op);
    if (section == nullptr || shape == nullptr || params > section->length ||
        shape->size > section->length - params)
      return;
    const auto field = [&](std::string_view name) {
      for (const HexField& candidate : shape->fields)
        if (candidate.name == name)
          return read<uint32_t>(section->offset + params + candidate.offset).value_or(TIGRIS_NONE);
      return TIGRIS_NONE;
    };
    for (const char* name : {"perm", "h.first", "w.first", "h.weight", "w.weight"})
      if (const uint32_t at = field(name); at != TIGRIS_NONE)
        ints_.try_emplace(at, strCat(strCat("op ", index), ", ", name));
    const uint32_t count = field("requant_count");
    if (const uint32_t at = field("requant"); at != TIGRIS_NONE && count != TIGRIS_NONE) {
      const std::string name = strCat("op ", index);
      const uint64_t begin = uint64_t{at} * sizeof(int32_t);
      const uint64_t size = uint64_t{count} * sizeof(int32_t);
      requant_.try_emplace(begin, Numbers{strCat(name, ", multipliers"), count, sizeof(int32_t)});
      requant_.try_emplace(begin + size, Numbers{strCat(name, ", shifts"), count, sizeof(int32_t)});
    }
  }

  // --- sections

  void show(const PlanSection& section) {
    const uint64_t end = uint64_t{section.offset} + section.length;
    if (const HexRecord* shape = sectionRecord(section.type)) {
      uint64_t at = section.offset;
      for (size_t i = 0; at < end; ++i)
        at = record(at, *shape, strCat(shape->name, "[", i, "]"), end);
      return;
    }
    switch (section.type) {
    case TIGRIS_SECTION_SUMMARY:
      return showSummary(section.offset, end);
    case TIGRIS_SECTION_STRINGS:
      return showStrings(section.offset, end);
    case TIGRIS_SECTION_INTS:
      return showInts(section.offset, end);
    case TIGRIS_SECTION_REQUANT:
      return showRequant(section.offset, end);
    case TIGRIS_SECTION_PARAMS:
      return showParams(section.offset, end);
    case TIGRIS_SECTION_WEIGHTS:
      return showWeights(section.offset, end);
    case TIGRIS_SECTION_STAGE_STATS:
    case TIGRIS_SECTION_NAMES:
      return raw(section.offset, end, "bytes unpacked, then an LZ4 block");
    default:
      return raw(section.offset, end, "not known to this tool");
    }
  }

  void showSummary(uint64_t at, uint64_t end) {
    for (const HexRecord* shape : {&SummaryRecord, &FiguresRecord})
      if (at < end)
        at = record(at, *shape, std::string(shape->name), end);
    raw(at, end, "summary, of a later version");
  }

  void showStrings(uint64_t begin, uint64_t end) {
    for (uint64_t at = begin; at < end;) {
      const size_t zero = bytes_.substr(0, end).find('\0', at);
      const uint64_t stop = zero == std::string_view::npos ? end : zero + 1;
      const std::string_view text =
          bytes_.substr(at, (zero == std::string_view::npos ? end : zero) - at);
      raw(at, stop, strCat("string ", at - begin, " = ", quoteText(text)));
      at = stop;
    }
  }

  void showInts(uint64_t begin, uint64_t end) {
    for (uint64_t at = begin; at < end; at += sizeof(int32_t)) {
      const auto value = end - at < sizeof(int32_t) ? std::nullopt : read<int32_t>(at);
      if (!value)
        return raw(at, end, "ints, cut off");
      const auto index = static_cast<uint32_t>((at - begin) / sizeof(int32_t));
      const auto found = ints_.find(index);
      row(at, sizeof(int32_t), strCat("ints[", index, "]"),
          found == ints_.end() ? strCat(*value) : strCat(*value, "  ", found->second));
    }
  }

  void showRequant(uint64_t begin, uint64_t end) {
    uint64_t at = begin;
    for (const auto& [offset, numbers] : requant_) {
      if (offset > end - begin || begin + offset < at)
        continue;
      padding(at, begin + offset);
      at = begin + offset;
      for (uint64_t i = 0; i < numbers.count && numbers.size <= end - at; ++i, at += numbers.size) {
        const int32_t value = numbers.size == 1 ? *read<int8_t>(at) : *read<int32_t>(at);
        row(at, numbers.size, strCat("requant[", at - begin, "]"),
            i == 0 ? strCat(value, "  ", numbers.label) : strCat(value));
      }
    }
    padding(at, end);
  }

  void showParams(uint64_t begin, uint64_t end) {
    uint64_t at = begin;
    for (const auto& [offset, user] : params_) {
      if (offset > end - begin || user.size > end - begin - offset)
        continue;
      if (begin + offset < at) { // a part of the parameters before, or begins in them
        const uint64_t stop = std::max(at, begin + offset + user.size);
        raw(at, stop, strCat("op[", user.op, "], the rest of its parameters"));
        at = stop;
        continue;
      }
      if (begin + offset > at)
        raw(at, begin + offset, "no operator's");
      at = begin + offset;
      const HexRecord* shape = paramsRecord(user.opcode);
      const std::string label =
          strCat("op[", user.op, "].", shape == nullptr ? "params" : shape->name);
      if (shape != nullptr && shape->size == user.size)
        record(at, *shape, label, at + user.size);
      else
        raw(at, at + user.size, label);
      at += user.size;
    }
    raw(at, end, "no operator's");
  }

  void showWeights(uint64_t begin, uint64_t end) {
    uint64_t at = begin;
    std::string label = "no operator's";
    for (const auto& [offset, user] : weights_) {
      if (offset >= end - begin)
        continue;
      raw(at, begin + offset, label);
      at = begin + offset;
      label = user;
    }
    raw(at, end, label);
  }

  /// Consecutive numbers of 1 or 4 bytes.
  struct Numbers {
    std::string label;
    uint64_t count;
    uint64_t size;
  };

  struct Params {
    uint32_t opcode;
    uint32_t size;
    size_t op;
  };

  std::string_view bytes_;
  std::string out_;
  std::vector<PlanSection> sections_;
  std::map<uint32_t, std::string> ints_;
  std::map<uint64_t, Numbers> requant_; // by offset in REQUANT
  std::map<uint32_t, std::string> weights_;
  std::map<uint32_t, Params> params_;
};

} // namespace

std::string hexDump(std::string_view bytes) { return HexWriter(bytes).make(); }

} // namespace tigris
