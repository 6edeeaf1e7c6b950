/* For a host: ESP-NN as on the ESP32-S3, with the code that calls its assembler and copies filters
 * and images into scratch, and C in place of the assembler. */
#ifndef TIGRIS_ESP_NN_EMULATE_S3_H
#define TIGRIS_ESP_NN_EMULATE_S3_H

#include <stdio.h>
#include <stdlib.h>

#define tigris_backend_esp_nn tigris_backend_esp_nn_s3
#define TIGRIS_ESP_NN_NAME "esp-nn-s3"

/* Ends the program if a convolution gets less scratch than it asks for. */
#define TIGRIS_ESP_NN_ROOM(conv_, is_depthwise, scratch, bytes)                                    \
  do {                                                                                             \
    const int asked_ =                                                                             \
        (is_depthwise) ? esp_nn_get_depthwise_conv_scratch_size(                                   \
                             &(conv_)->in, &(conv_)->filter, &(conv_)->out, &(conv_)->depthwise)   \
                       : esp_nn_get_conv_scratch_size(&(conv_)->in, &(conv_)->filter,              \
                                                      &(conv_)->out, &(conv_)->conv);              \
    if (asked_ > 0 && ((uint32_t)asked_ > (bytes) || ((uintptr_t)(scratch)&15u) != 0)) {           \
      fprintf(stderr, "esp-nn-s3: asks for %d bytes of scratch, got %u at %p\n", asked_,           \
              (unsigned)(bytes), (void*)(scratch));                                                \
      abort();                                                                                     \
    }                                                                                              \
  } while (0)

#endif /* TIGRIS_ESP_NN_EMULATE_S3_H */
