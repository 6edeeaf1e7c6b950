/* Compiled once per row of the table in docs/memory-model.md, with the macros of that processor. */
#include "tigris_config.h"

#if TIGRIS_TENSOR_ALIGN != EXPECTED
#error "TIGRIS_TENSOR_ALIGN is not that of the table"
#endif
