/* Opens a plan: checks prefix, checksum and directory, then calls the validator. */
#include <stddef.h>
#include <string.h>

#include "check/check.h"
#include "crc32.h"
#include "exec/tile.h"

/* Record sizes of the known sections. SUMMARY may grow and is checked separately. */
static const uint8_t recordBytes[TIGRIS_SECTION_LAST + 1] = {
    [TIGRIS_SECTION_STRINGS] = 1,
    [TIGRIS_SECTION_INTS] = 4,
    [TIGRIS_SECTION_QUANT] = sizeof(tigris_quant),
    [TIGRIS_SECTION_REQUANT] = 4,
    [TIGRIS_SECTION_TENSORS] = sizeof(tigris_tensor),
    [TIGRIS_SECTION_PORTS] = sizeof(tigris_port),
    [TIGRIS_SECTION_OPERANDS] = sizeof(tigris_operand),
    [TIGRIS_SECTION_PARAMS] = 1,
    [TIGRIS_SECTION_OPS] = sizeof(tigris_op),
    [TIGRIS_SECTION_TRANSFERS] = sizeof(tigris_transfer),
    [TIGRIS_SECTION_STAGES] = sizeof(tigris_stage),
    [TIGRIS_SECTION_WEIGHTS] = 1,
    [TIGRIS_SECTION_TILINGS] = sizeof(tigris_tiling),
    [TIGRIS_SECTION_TILE_BUFFERS] = sizeof(tigris_tile_buffer),
    [TIGRIS_SECTION_BLOCKS] = sizeof(tigris_weight_block),
};

/* Position of a section's pointer and count in tigris_plan. SUMMARY's count slot holds file_size,
 * set later. */
#define POINTER(type) (offsetof(tigris_plan, summary) + ((type)-1) * sizeof(void*))
#define COUNT(type) (offsetof(tigris_plan, file_size) + ((type)-1) * sizeof(uint32_t))

TIGRIS_CHECK_LAYOUT(plan_pointers,
                    offsetof(tigris_plan, weight_blocks) == POINTER(TIGRIS_SECTION_BLOCKS));
TIGRIS_CHECK_LAYOUT(plan_weights,
                    offsetof(tigris_plan, weights) == POINTER(TIGRIS_SECTION_WEIGHTS));
TIGRIS_CHECK_LAYOUT(plan_ports, offsetof(tigris_plan, ports) == POINTER(TIGRIS_SECTION_PORTS));
TIGRIS_CHECK_LAYOUT(plan_counts,
                    offsetof(tigris_plan, weight_block_count) == COUNT(TIGRIS_SECTION_BLOCKS));
TIGRIS_CHECK_LAYOUT(plan_weight_bytes,
                    offsetof(tigris_plan, weight_bytes) == COUNT(TIGRIS_SECTION_WEIGHTS));
TIGRIS_CHECK_LAYOUT(plan_port_count,
                    offsetof(tigris_plan, port_count) == COUNT(TIGRIS_SECTION_PORTS));

static tigris_status readDirectory(tigris_plan* plan, const uint8_t* bytes,
                                   const tigris_header* header) {
  const uint32_t* lengths = (const uint32_t*)(const void*)(bytes + header->header_size);
  uint32_t end = header->header_size;
  uint32_t type;
  if (header->section_count > (header->file_size - end) / 4u)
    return TIGRIS_E_FORMAT;
  end += 4u * header->section_count;
  for (type = 1; type <= TIGRIS_SECTION_LAST || type <= header->section_count; ++type) {
    const uint32_t align = TIGRIS_SECTION_ALIGN(type);
    const uint32_t length = type <= header->section_count ? lengths[type - 1] : 0;
    const uint32_t start = length == 0 ? end : (end + align - 1u) & ~(align - 1u);
    const uint8_t* at;
    uint32_t count = length;
    if (start < end || start > header->file_size || length > header->file_size - start)
      return TIGRIS_E_FORMAT;
    end = start + length;
    if (type > TIGRIS_SECTION_LAST)
      continue;
    if (type == TIGRIS_SECTION_SUMMARY) {
      if (length < sizeof(tigris_summary))
        return TIGRIS_E_FORMAT;
    } else {
      count = length / recordBytes[type];
      if (count * recordBytes[type] != length)
        return TIGRIS_E_FORMAT;
    }
    at = bytes + start;
    memcpy((uint8_t*)plan + POINTER(type), &at, sizeof at);
    memcpy((uint8_t*)plan + COUNT(type), &count, sizeof count);
  }
  return TIGRIS_OK;
}

#if TIGRIS_VALIDATE
static tigris_status checkRecords(tigris_plan* plan) { return tigris_check_records(plan); }
#else
/* Checks the records, and whether this build supports the plan: a valid plan may need parts that
 * the build lacks. */
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
    const tigris_stage* s = &plan->stages[i];
    if (!tigris_runs_mode(s->mode) ||
        (s->mode != TIGRIS_STAGE_WHOLE && !tigris_runs_tiling(s, &plan->tilings[s->detail])))
      return TIGRIS_E_UNSUPPORTED;
  }
  for (i = 0; !TIGRIS_STATES && i < plan->port_count; ++i) {
    if (plan->ports[i].state != TIGRIS_NO_PORT)
      return TIGRIS_E_UNSUPPORTED;
  }
  if ((!TIGRIS_WEIGHT_BLOCKS && plan->weight_block_count != 0) ||
      (!TIGRIS_WEIGHT_READER && (plan->summary->flags & TIGRIS_SUMMARY_EXTERNAL)))
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
