/* Runs the tests of the reference kernels on the ESP-NN backend. */
#ifndef TIGRIS_TEST_BACKEND_ESP_NN_H
#define TIGRIS_TEST_BACKEND_ESP_NN_H

#include "tigris_esp_nn.h"

#define TEST_BACKEND tigris_backend_esp_nn

#endif /* TIGRIS_TEST_BACKEND_ESP_NN_H */
