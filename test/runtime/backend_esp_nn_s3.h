/* Runs the tests of the reference kernels on ESP-NN with the scratch rules of the ESP32-S3. */
#ifndef TIGRIS_TEST_BACKEND_ESP_NN_S3_H
#define TIGRIS_TEST_BACKEND_ESP_NN_S3_H

#include "tigris_esp_nn.h"

#define TEST_BACKEND tigris_backend_esp_nn_s3

#endif /* TIGRIS_TEST_BACKEND_ESP_NN_S3_H */
