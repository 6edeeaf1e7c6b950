/* Runs the tests of the reference kernels on the CMSIS-NN backend. */
#ifndef TIGRIS_TEST_BACKEND_CMSIS_NN_H
#define TIGRIS_TEST_BACKEND_CMSIS_NN_H

#include "tigris_cmsis_nn.h"

#define TEST_BACKEND tigris_backend_cmsis_nn

#endif /* TIGRIS_TEST_BACKEND_CMSIS_NN_H */
