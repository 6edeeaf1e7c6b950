/* Texts of the status values. */
#include "tigris.h"

const char* tigris_status_text(tigris_status status) {
#if TIGRIS_STATUS_TEXT
  switch (status) {
  case TIGRIS_MORE:
    return "stages remain";
  case TIGRIS_OK:
    return "ok";
  case TIGRIS_E_ARGUMENT:
    return "invalid argument";
  case TIGRIS_E_MAGIC:
    return "not a TiGrIS plan";
  case TIGRIS_E_VERSION:
    return "plan format version is not supported";
  case TIGRIS_E_TRUNCATED:
    return "plan is truncated";
  case TIGRIS_E_CRC:
    return "plan checksum does not match";
  case TIGRIS_E_FORMAT:
    return "plan records are inconsistent";
  case TIGRIS_E_TENSOR:
    return "tensor record is invalid";
  case TIGRIS_E_OP:
    return "op breaks the contract of its opcode";
  case TIGRIS_E_ADDRESS:
    return "address is outside its memory, misaligned or overlaps";
  case TIGRIS_E_UNSUPPORTED:
    return "opcode, dtype or stage mode is not supported";
  case TIGRIS_E_ALIGN:
    return "memory or plan alignment is too small";
  case TIGRIS_E_MEMORY:
    return "too little fast or slow memory for the plan";
  case TIGRIS_E_KERNEL:
    return "backend has no kernel for an op";
  case TIGRIS_E_BACKEND:
    return "backend was built for another interface version";
  case TIGRIS_E_STATE:
    return "a caller buffer or a weight reader is not set";
  case TIGRIS_E_INDEX:
    return "gather index is out of range";
  case TIGRIS_E_LIMIT:
    return "plan exceeds a limit this runtime was built with";
  case TIGRIS_E_SCRATCH:
    return "backend needs more scratch than there is";
  case TIGRIS_E_ROWS:
    return "plan does not move this input or output row by row, once";
  case TIGRIS_E_CALLBACK:
    return "a callback for rows failed";
  case TIGRIS_E_WEIGHTS:
    return "the weight reader failed or brought other bytes";
  }
  return "unknown status";
#else
  (void)status;
  return "";
#endif
}
