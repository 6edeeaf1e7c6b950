/* Runs the tests of the reference kernels on the host backend. */
#ifndef TIGRIS_TEST_BACKEND_HOST_H
#define TIGRIS_TEST_BACKEND_HOST_H

#include "tigris_host.h"

#define TEST_BACKEND tigris_backend_host

#endif /* TIGRIS_TEST_BACKEND_HOST_H */
