/* Opens a plan: prefix, checksum and directory; then hands over to the validator. */
#include <stddef.h>
#include <string.h>

#include "check.h"
#include "crc32.h"
#include "tile.h"

/* Where a known section goes: offsets in tigris_plan of its pointer and its count, and bytes per record. */
typedef struct SectionRule {
  uint8_t pointer;
  uint8_t count;
  uint8_t size;
} SectionRule;

#define SECTION(pointer, count, size)                                                              \
  { offsetof(tigris_plan, pointer), offsetof(tigris_plan, count), size }

/* SUMMARY is checked apart because it may grow; file_size, set later, takes its count. */
static const SectionRule sectionRules[TIGRIS_SECTION_LAST + 1] = {
    [TIGRIS_SECTION_SUMMARY] = SECTION(summary, file_size, 0),
    [TIGRIS_SECTION_STRINGS] = SECTION(strings, string_bytes, 1),
    [TIGRIS_SECTION_INTS] = SECTION(ints, int_count, 4),
    [TIGRIS_SECTION_QUANT] = SECTION(quant, quant_count, sizeof(tigris_quant)),
    [TIGRIS_SECTION_REQUANT] = SECTION(requant, requant_count, 4),
    [TIGRIS_SECTION_TENSORS] = SECTION(tensors, tensor_count, sizeof(tigris_tensor)),
    [TIGRIS_SECTION_PORTS] = SECTION(ports, port_count, sizeof(tigris_port)),
    [TIGRIS_SECTION_OPERANDS] = SECTION(operands, operand_count, sizeof(tigris_operand)),
    [TIGRIS_SECTION_PARAMS] = SECTION(params, param_bytes, 1),
    [TIGRIS_SECTION_OPS] = SECTION(ops, op_count, sizeof(tigris_op)),
    [TIGRIS_SECTION_TRANSFERS] = SECTION(transfers, transfer_count, sizeof(tigris_transfer)),
    [TIGRIS_SECTION_STAGES] = SECTION(stages, stage_count, sizeof(tigris_stage)),
    [TIGRIS_SECTION_WEIGHTS] = SECTION(weights, weight_bytes, 1),
    [TIGRIS_SECTION_TILINGS] = SECTION(tilings, tiling_count, sizeof(tigris_tiling)),
    [TIGRIS_SECTION_TILE_BUFFERS] =
        SECTION(tile_buffers, tile_buffer_count, sizeof(tigris_tile_buffer)),
    [TIGRIS_SECTION_BLOCKS] =
        SECTION(weight_blocks, weight_block_count, sizeof(tigris_weight_block)),
};

static tigris_status readDirectory(tigris_plan* plan, const uint8_t* bytes,
                                   const tigris_header* header) {
  const tigris_section* sections =
      (const tigris_section*)(const void*)(bytes + header->header_size);
  uint32_t seen = 0;
  uint32_t end;
  uint32_t i;
  if (header->section_count > (header->file_size - header->header_size) / sizeof(tigris_section))
    return TIGRIS_E_FORMAT;
  end = header->header_size + header->section_count * (uint32_t)sizeof(tigris_section);
  for (i = 0; i < header->section_count; ++i) {
    const tigris_section* s = &sections[i];
    const SectionRule* rule;
    const uint8_t* at;
    if (s->offset % TIGRIS_SECTION_ALIGN != 0 || s->offset < end || s->offset > header->file_size ||
        s->length > header->file_size - s->offset)
      return TIGRIS_E_FORMAT;
    if (s->type == 0 || s->type > TIGRIS_SECTION_LAST)
      continue;
    rule = &sectionRules[s->type];
    if (seen & (1u << s->type))
      return TIGRIS_E_FORMAT;
    seen |= 1u << s->type;
    if (s->type == TIGRIS_SECTION_SUMMARY) {
      if (s->count != 1 || s->length < sizeof(tigris_summary))
        return TIGRIS_E_FORMAT;
    } else if (s->count > s->length || s->count * (uint64_t)rule->size != s->length) {
      return TIGRIS_E_FORMAT;
    }
    at = bytes + s->offset;
    memcpy((uint8_t*)plan + rule->pointer, &at, sizeof at);
    memcpy((uint8_t*)plan + rule->count, &s->count, sizeof s->count);
  }
  return seen == (2u << TIGRIS_SECTION_LAST) - 2u ? TIGRIS_OK : TIGRIS_E_FORMAT;
}

#if TIGRIS_VALIDATE
static tigris_status checkRecords(tigris_plan* plan) { return tigris_check_records(plan); }
#else
/* Sound, but perhaps made for a build with more in it. */
static tigris_status checkRecords(tigris_plan* plan) {
  uint32_t i;
  if (plan->summary->io_mode == TIGRIS_IO_CALLER && plan->port_count > TIGRIS_MAX_PORTS)
    return TIGRIS_E_LIMIT;
  for (i = 0; i < plan->op_count; ++i) {
    if ((uint32_t)plan->ops[i].inputs + plan->ops[i].outputs > TIGRIS_MAX_OPERANDS) {
      plan->error_op = i;
      return TIGRIS_E_LIMIT;
    }
  }
  for (i = 0; i < plan->stage_count; ++i) {
    if (!tigris_runs_mode(plan->stages[i].mode))
      return TIGRIS_E_UNSUPPORTED;
  }
  for (i = 0; !TIGRIS_STATES && i < plan->port_count; ++i) {
    if (plan->ports[i].state != TIGRIS_NO_PORT)
      return TIGRIS_E_UNSUPPORTED;
  }
  if (!TIGRIS_WEIGHT_BLOCKS && plan->weight_block_count != 0)
    return TIGRIS_E_UNSUPPORTED;
  return TIGRIS_OK;
}
#endif

tigris_status tigris_plan_open_flags(tigris_plan* plan, const void* data, size_t size,
                                     uint32_t flags) {
  const tigris_plan empty = {0};
  const uint8_t* bytes = (const uint8_t*)data;
  const tigris_header* header = (const tigris_header*)data;
  tigris_status status;
  if (plan == NULL || data == NULL)
    return TIGRIS_E_ARGUMENT;
  *plan = empty;
  plan->error_op = TIGRIS_NONE;
  if ((uintptr_t)data % TIGRIS_PLAN_ALIGN != 0)
    return TIGRIS_E_ALIGN;
  if (size < sizeof(tigris_header))
    return TIGRIS_E_TRUNCATED;
  if (header->magic[0] != 'T' || header->magic[1] != 'G' || header->magic[2] != 'R' ||
      header->magic[3] != 'S')
    return TIGRIS_E_MAGIC;
  if (header->version != TIGRIS_FORMAT_VERSION)
    return TIGRIS_E_VERSION;
  if (header->header_size != sizeof(tigris_header) || header->file_size < sizeof(tigris_header))
    return TIGRIS_E_FORMAT;
  if (header->file_size > size)
    return TIGRIS_E_TRUNCATED;
  if (!(flags & TIGRIS_OPEN_IGNORE_CRC) &&
      tigris_crc32(bytes + 16, header->file_size - 16) != header->crc32)
    return TIGRIS_E_CRC;
  status = readDirectory(plan, bytes, header);
  plan->file_size = header->file_size;
  if (status == TIGRIS_OK)
    status = checkRecords(plan);
  while (plan->input_count < plan->port_count &&
         plan->ports[plan->input_count].direction == TIGRIS_INPUT)
    ++plan->input_count;
  return status;
}

tigris_status tigris_plan_open(tigris_plan* plan, const void* data, size_t size) {
  return tigris_plan_open_flags(plan, data, size, 0);
}

const char* tigris_plan_string(const tigris_plan* plan, uint32_t reference) {
  return reference < plan->string_bytes ? plan->strings + reference : "";
}
