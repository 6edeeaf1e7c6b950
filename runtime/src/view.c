/* Tensor queries of the core and the kernels, as functions that exist once in flash. */
#include "view.h"

uint32_t tigris_element_size(uint32_t dtype) {
  switch (dtype) {
  case TIGRIS_F32:
  case TIGRIS_S32:
    return 4;
  case TIGRIS_S64:
    return 8;
  case TIGRIS_S16:
    return 2;
  case TIGRIS_S8:
  case TIGRIS_BOOL:
    return 1;
  default:
    return 0;
  }
}

void tigris_dense(tigris_view* view, const tigris_tensor* tensor, const int32_t* dims,
                  uint32_t bytes, void* data) {
  const uint32_t rank = tensor->rank;
  uint32_t rows = 1; /* n * h of tigris_shape4_read */
  if (rank >= 2 && rank <= 4)
    rows = (uint32_t)dims[0] * (rank == 2 ? 1u : (uint32_t)dims[1]);
  view->data = (uint8_t*)data;
  view->tensor = tensor;
  view->dims = dims;
  view->first = 0;
  view->rows = rows;
  view->pitch = rows == 0 ? 0 : bytes / rows;
}
