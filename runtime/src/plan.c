/* Opens a plan: prefix, checksum and directory; then hands over to the validator. */
#include "check.h"
#include "crc32.h"

/* Bytes per counted element of each known section; SUMMARY is checked apart because it may grow. */
static uint32_t recordSize(uint32_t type) {
  switch (type) {
  case TIGRIS_SECTION_INTS:
  case TIGRIS_SECTION_REQUANT:
    return 4;
  case TIGRIS_SECTION_QUANT:
    return sizeof(tigris_quant);
  case TIGRIS_SECTION_TENSORS:
    return sizeof(tigris_tensor);
  case TIGRIS_SECTION_PORTS:
    return sizeof(tigris_port);
  case TIGRIS_SECTION_OPERANDS:
    return sizeof(tigris_operand);
  case TIGRIS_SECTION_OPS:
    return sizeof(tigris_op);
  case TIGRIS_SECTION_TRANSFERS:
    return sizeof(tigris_transfer);
  case TIGRIS_SECTION_STAGES:
    return sizeof(tigris_stage);
  case TIGRIS_SECTION_TILINGS:
    return sizeof(tigris_tiling);
  case TIGRIS_SECTION_TILE_BUFFERS:
    return sizeof(tigris_tile_buffer);
  case TIGRIS_SECTION_BLOCKS:
    return sizeof(tigris_weight_block);
  default:
    return 1;
  }
}

static void storeSection(tigris_plan* plan, uint32_t type, const void* at, uint32_t count) {
  switch (type) {
  case TIGRIS_SECTION_SUMMARY:
    plan->summary = (const tigris_summary*)at;
    break;
  case TIGRIS_SECTION_STRINGS:
    plan->strings = (const char*)at;
    plan->string_bytes = count;
    break;
  case TIGRIS_SECTION_INTS:
    plan->ints = (const int32_t*)at;
    plan->int_count = count;
    break;
  case TIGRIS_SECTION_QUANT:
    plan->quant = (const tigris_quant*)at;
    plan->quant_count = count;
    break;
  case TIGRIS_SECTION_REQUANT:
    plan->requant = (const int32_t*)at;
    plan->requant_count = count;
    break;
  case TIGRIS_SECTION_TENSORS:
    plan->tensors = (const tigris_tensor*)at;
    plan->tensor_count = count;
    break;
  case TIGRIS_SECTION_PORTS:
    plan->ports = (const tigris_port*)at;
    plan->port_count = count;
    break;
  case TIGRIS_SECTION_OPERANDS:
    plan->operands = (const tigris_operand*)at;
    plan->operand_count = count;
    break;
  case TIGRIS_SECTION_PARAMS:
    plan->params = (const uint8_t*)at;
    plan->param_bytes = count;
    break;
  case TIGRIS_SECTION_OPS:
    plan->ops = (const tigris_op*)at;
    plan->op_count = count;
    break;
  case TIGRIS_SECTION_TRANSFERS:
    plan->transfers = (const tigris_transfer*)at;
    plan->transfer_count = count;
    break;
  case TIGRIS_SECTION_STAGES:
    plan->stages = (const tigris_stage*)at;
    plan->stage_count = count;
    break;
  case TIGRIS_SECTION_TILINGS:
    plan->tilings = (const tigris_tiling*)at;
    plan->tiling_count = count;
    break;
  case TIGRIS_SECTION_TILE_BUFFERS:
    plan->tile_buffers = (const tigris_tile_buffer*)at;
    plan->tile_buffer_count = count;
    break;
  case TIGRIS_SECTION_BLOCKS:
    plan->weight_blocks = (const tigris_weight_block*)at;
    plan->weight_block_count = count;
    break;
  default:
    plan->weights = (const uint8_t*)at;
    plan->weight_bytes = count;
    break;
  }
}

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
    if (s->offset % TIGRIS_SECTION_ALIGN != 0 || s->offset < end || s->offset > header->file_size ||
        s->length > header->file_size - s->offset)
      return TIGRIS_E_FORMAT;
    if (s->type == 0 || s->type > TIGRIS_SECTION_LAST)
      continue;
    if (seen & (1u << s->type))
      return TIGRIS_E_FORMAT;
    seen |= 1u << s->type;
    if (s->type == TIGRIS_SECTION_SUMMARY) {
      if (s->count != 1 || s->length < sizeof(tigris_summary))
        return TIGRIS_E_FORMAT;
    } else if (s->count > s->length || s->count * (uint64_t)recordSize(s->type) != s->length) {
      return TIGRIS_E_FORMAT;
    }
    storeSection(plan, s->type, bytes + s->offset, s->count);
  }
  return seen == (2u << TIGRIS_SECTION_LAST) - 2u ? TIGRIS_OK : TIGRIS_E_FORMAT;
}

static tigris_status checkAll(tigris_plan* plan) {
  tigris_status status = tigris_check_tables(plan);
  uint32_t i;
  while (plan->input_count < plan->port_count &&
         plan->ports[plan->input_count].direction == TIGRIS_INPUT)
    ++plan->input_count;
  for (i = 0; status == TIGRIS_OK && i < plan->op_count; ++i) {
    status = tigris_check_op(plan, &plan->ops[i]);
    if (status != TIGRIS_OK)
      plan->error_op = i;
  }
  if (status == TIGRIS_OK)
    status = tigris_check_schedule(plan);
  return status == TIGRIS_OK ? tigris_check_blocks(plan) : status;
}

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
  plan->file_size = header->file_size;
  status = readDirectory(plan, bytes, header);
  return status == TIGRIS_OK ? checkAll(plan) : status;
}

tigris_status tigris_plan_open(tigris_plan* plan, const void* data, size_t size) {
  return tigris_plan_open_flags(plan, data, size, 0);
}

const char* tigris_plan_string(const tigris_plan* plan, uint32_t reference) {
  return reference < plan->string_bytes ? plan->strings + reference : "";
}
