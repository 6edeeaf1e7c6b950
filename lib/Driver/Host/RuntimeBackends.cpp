// The build determines which backends of runtime/backends/ are linked.
#include "tigris/Driver/Host/RuntimeBackends.h"

#if TIGRIS_HAS_HOST_BACKEND
#include "tigris_host.h"
#endif
#if TIGRIS_HAS_CMSIS_NN_BACKEND
#include "tigris_cmsis_nn.h"
#endif
#if TIGRIS_HAS_ESP_NN_BACKEND
#include "tigris_esp_nn.h"
#endif

#include <array>

namespace tigris {

namespace {

constexpr auto Backends = std::to_array<const tigris_backend*>({
#if TIGRIS_HAS_HOST_BACKEND
  &tigris_backend_host,
#endif
      &tigris_backend_reference,
#if TIGRIS_HAS_CMSIS_NN_BACKEND
      &tigris_backend_cmsis_nn,
#endif
#if TIGRIS_HAS_ESP_NN_BACKEND
      &tigris_backend_esp_nn, &tigris_backend_esp_nn_s3,
#endif
});

} // namespace

std::vector<std::string> runtimeBackendNames() {
  std::vector<std::string> names;
  for (const tigris_backend* backend : Backends)
    names.emplace_back(backend->name);
  return names;
}

const tigris_backend* runtimeBackend(std::string_view name) {
  for (const tigris_backend* backend : Backends)
    if (name == backend->name)
      return backend;
  return nullptr;
}

} // namespace tigris
