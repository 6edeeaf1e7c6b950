/* The ESP-NN backend: Espressif's int8 kernels with the interface tigris_backend, and the reference
 * kernels for all other ops.
 *
 * Link runtime/backends/esp_nn and ESP-NN (docs/backends.md). Output bytes equal the reference
 * backend's. ESP-NN keeps the address of its scratch in global variables: contexts on this
 * backend must not run at the same time in several tasks. */
#ifndef TIGRIS_ESP_NN_H
#define TIGRIS_ESP_NN_H

#include "tigris_backend.h"

#ifdef __cplusplus
extern "C" {
#endif

extern const tigris_backend tigris_backend_esp_nn;

/* For tests on a host: the same with the scratch, alignment and padding of the ESP32-S3. Its
 * assembler is emulated in C. */
extern const tigris_backend tigris_backend_esp_nn_s3;

#ifdef __cplusplus
}
#endif

#endif /* TIGRIS_ESP_NN_H */
