// The picture of a plan file.
#include "tigris/Inspect/PictureParts.h"

#include <map>
#include <set>

namespace tigris {

namespace {

class FilePicture {
public:
  explicit FilePicture(const PlanFile& file) : file_(file), plan_(file.plan()) {}

  PlanPicture make() {
    picture_.report = reportOf(file_);
    for (uint32_t i = 0; i < plan_.op_count; ++i)
      addOp(i);
    for (uint32_t i = 0; i < plan_.stage_count; ++i)
      addStage(i);
    addWeightBlocks();
    for (uint32_t i = 0; i < plan_.port_count && file_.summary().io_mode == TIGRIS_IO_ARENA; ++i)
      if (!file_.isConstantPort(plan_.ports[i]))
        addArenaPort(picture_,
                     {nameOf(plan_.ports[i].tensor), typeOf(plan_.ports[i].tensor),
                      plan_.ports[i].offset, file_.tensor(plan_.ports[i].tensor).bytes, 0, 0,
                      "whole"},
                     i < plan_.input_count);
    if (file_.summary().io_mode == TIGRIS_IO_SLOW)
      for (uint32_t i = 0; i < plan_.port_count; ++i)
        if (!file_.isConstantPort(plan_.ports[i]))
          touch(slow_, {plan_.ports[i].offset, plan_.ports[i].tensor},
                i < plan_.input_count || plan_.op_count == 0 ? 0 : plan_.op_count - 1);
    for (const auto& [key, span] : slow_)
      picture_.slow.push_back({nameOf(key.second), typeOf(key.second), key.first,
                               file_.tensor(key.second).bytes, span.first, span.last, "slow"});
    for (uint32_t i = 0; i < plan_.tensor_count; ++i)
      if (const tigris_quant* quant = file_.quant(file_.tensor(i)))
        picture_.quants.push_back(
            {nameOf(i), typeOf(i), formatFloat(quant->scale), strCat(quant->zero_point)});
    return finishPicture(std::move(picture_));
  }

private:
  /// Address and tensor.
  using Place = std::pair<uint32_t, uint32_t>;

  std::string nameOf(uint32_t tensor) const { return named(file_.tensorName(tensor), tensor); }

  static std::string named(std::string_view name, uint32_t tensor) {
    return name.empty() ? strCat("t", tensor) : std::string(name);
  }

  std::string typeOf(uint32_t tensor) const {
    const auto dims = file_.dims(file_.tensor(tensor));
    return typeText(planDType(file_.tensor(tensor).dtype), {dims.begin(), dims.end()});
  }

  static void touch(std::map<Place, StepSpan>& spans, Place place, size_t step) {
    spans.try_emplace(place, StepSpan{step, step}).first->second.touch(step);
  }

  void addOp(uint32_t index) {
    const tigris_op& op = plan_.ops[index];
    PictureOp out;
    out.name = file_.opName(index);
    out.kind = opcodeName(op.opcode);
    if (out.name.empty())
      out.name = strCat("op ", index);
    for (const tigris_operand& operand : file_.operands(op)) {
      auto& texts = out.inputs.size() < op.inputs ? out.inputs : out.outputs;
      texts.push_back(operand.pool == TIGRIS_POOL_ABSENT
                          ? "-"
                          : strCat(named(file_.operandName(operand), operand.tensor), " ",
                                   typeOf(operand.tensor)));
    }
    picture_.steps.push_back({out.name, out.kind, 0, 0, 0});
    picture_.ops.push_back(std::move(out));
  }

  void addStage(uint32_t index) {
    const tigris_stage& stage = plan_.stages[index];
    const size_t begin = stage.first_op;
    const uint32_t count = file_.opCount(stage);
    const size_t last = begin + std::max<uint32_t>(count, 1) - 1;
    PictureStage out;
    out.mode = picture_.report.stages[index].mode;
    out.first = begin;
    out.count = count;
    std::map<Place, StepSpan> fast;
    std::map<Place, std::string> roles;
    std::set<Place> there; // loaded by an earlier stage
    const auto addTransfers = [&](std::span<const tigris_transfer> transfers, size_t step,
                                  const char* role, std::vector<std::string>& names) {
      for (const tigris_transfer& transfer : transfers) {
        touch(fast, {transfer.fast, transfer.tensor}, step);
        touch(slow_, {transfer.slow, transfer.tensor}, step);
        roles.try_emplace({transfer.fast, transfer.tensor}, role);
        names.push_back(nameOf(transfer.tensor));
      }
    };
    addTransfers(file_.loads(stage), begin, "load", out.loads);
    addTransfers(file_.spills(stage), last, "spill", out.spills);
    for (uint32_t i = 0; i < count; ++i) {
      const size_t step = begin + i;
      picture_.steps[step].stage = index;
      const auto operands = file_.operands(plan_.ops[step]);
      for (size_t k = 0; k < operands.size(); ++k) {
        const Place place = {operands[k].offset, operands[k].tensor};
        if (operands[k].pool == TIGRIS_POOL_FAST) {
          if (fast.count(place) == 0 && k < plan_.ops[step].inputs)
            there.insert(place);
          touch(fast, place, step);
        }
        if (operands[k].pool == TIGRIS_POOL_SLOW)
          touch(slow_, place, step);
      }
    }
    for (const auto& [place, span] : fast)
      addBlock(place, span, roles.count(place) != 0 ? roles[place] : "whole",
               file_.tensor(place.second).bytes, there.count(place) != 0);
    if (stage.mode != TIGRIS_STAGE_WHOLE)
      addTiling(stage, {begin, last}, out);
    picture_.stages.push_back(std::move(out));
  }

  void addTiling(const tigris_stage& stage, const StepSpan& span, PictureStage& out) {
    const tigris_tiling& tiling = plan_.tilings[stage.detail];
    const bool streams = stage.mode == TIGRIS_STAGE_STREAMED;
    std::vector<TileBytes> places;
    for (uint32_t i = 0; i < tiling.buffer_count; ++i) {
      const tigris_tile_buffer& buffer = plan_.tile_buffers[tiling.first_buffer + i];
      places.push_back({buffer.fast, buffer.bytes});
    }
    std::map<uint32_t, StepSpan> uses;
    for (size_t step = span.first; step <= span.last && step < plan_.op_count; ++step)
      for (const tigris_operand& operand : file_.operands(plan_.ops[step]))
        if (operand.pool == TIGRIS_POOL_TILE)
          uses.try_emplace(operand.offset, StepSpan{step, step}).first->second.touch(step);
    for (uint32_t i = 0; i < tiling.buffer_count; ++i) {
      const tigris_tile_buffer& buffer = plan_.tile_buffers[tiling.first_buffer + i];
      const bool load = (buffer.flags & TIGRIS_TILE_LOAD) != 0;
      const bool store = (buffer.flags & TIGRIS_TILE_STORE) != 0;
      const std::string flow = load ? "load" : "spill";
      const bool inPlace = (buffer.flags & TIGRIS_TILE_IN_PLACE) != 0;
      if (inPlace && buffer.backing == TIGRIS_POOL_CALLER)
        continue;
      if (buffer.backing == TIGRIS_POOL_FAST)
        addBlock({buffer.backing_offset, buffer.tensor}, span, flow,
                 file_.tensor(buffer.tensor).bytes, load);
      StepSpan use = span;
      if (const auto found = uses.find(i); found != uses.end() &&
                                           !(load && isKept(buffer.reload_axes)) &&
                                           !(streams && mayRoll(places, i)))
        use = found->second;
      if (!inPlace)
        addBlock({buffer.fast, buffer.tensor}, use,
                 (buffer.flags & TIGRIS_TILE_SINK) != 0 ? "sums"
                 : load || store                        ? flow
                                                        : "tile",
                 buffer.bytes);
      if (load)
        out.loads.push_back(nameOf(buffer.tensor));
      if (store)
        out.spills.push_back(nameOf(buffer.tensor));
      if (buffer.backing == TIGRIS_POOL_SLOW) {
        touch(slow_, {buffer.backing_offset, buffer.tensor}, span.first);
        touch(slow_, {buffer.backing_offset, buffer.tensor}, span.last);
      }
    }
    const uint64_t ofStream = tiling.tiles[TIGRIS_STREAM_STRIPES] > 1 ? TIGRIS_STRIPE_BOOKKEEPING
                                                                      : TIGRIS_STREAM_BOOKKEEPING;
    picture_.fast.push_back({"(boxes)", "executor bookkeeping", tiling.bookkeeping,
                             tiling.buffer_count * (streams ? ofStream : TIGRIS_TILE_BOOKKEEPING),
                             span.first, span.last, "bookkeeping"});
  }

  void addBlock(const Place& place, const StepSpan& span, std::string role, uint64_t bytes,
                bool isThere = false) {
    picture_.fast.push_back({nameOf(place.second), typeOf(place.second), place.first, bytes,
                             span.first, span.last, std::move(role), isThere});
  }

  /// Unpacked weights stay until the next block replaces them or their stage ends.
  void addWeightBlocks() {
    for (uint32_t i = 0; i < plan_.weight_block_count; ++i) {
      const tigris_weight_block& block = plan_.weight_blocks[i];
      const tigris_stage& stage = plan_.stages[picture_.steps[block.first_op].stage];
      size_t last = stage.first_op + file_.opCount(stage) - 1;
      if (i + 1 < plan_.weight_block_count)
        last = std::min<size_t>(last, plan_.weight_blocks[i + 1].first_op - 1);
      picture_.fast.push_back({strCat("(weights ", i, ")"), "unpacked constants", block.fast,
                               block.bytes, block.first_op, last, "weights"});
    }
  }

  const PlanFile& file_;
  const tigris_plan& plan_;
  std::map<Place, StepSpan> slow_;
  PlanPicture picture_;
};

} // namespace

PlanPicture pictureOf(const PlanFile& file) { return FilePicture(file).make(); }

} // namespace tigris
