// Plugins that must be rejected or whose passes misbehave: one library per value of BAD_PLUGIN.
#include "tigris/Pass/PassPlugin.h"

#include <cstdlib>
#include <stdexcept>

using namespace tigris;

namespace {

[[maybe_unused]] PassStatus nothing(Graph&, PassContext&) { return PassStatus::Unchanged; }
[[maybe_unused]] PassStatus throwing(Graph&, PassContext&) {
  throw std::runtime_error("the sky is falling");
}
[[maybe_unused]] PassStatus crashing(Graph&, PassContext&) { std::abort(); }
/// Turns Relu into Abs: legal, but wrong.
[[maybe_unused]] PassStatus wrong(Graph& graph, PassContext&) {
  for (const OpId id : graph.order())
    if (graph.op(id).kind == OpKind::Relu) {
      graph.editOp(id).kind = OpKind::Abs;
      return PassStatus::Changed;
    }
  return PassStatus::Unchanged;
}
/// Places everything in slow memory at the same address.
[[maybe_unused]] PassStatus pileUp(Graph& graph, PassContext&) {
  Plan plan = *graph.plan();
  for (Placement& placement : plan.slow)
    placement.offset = 0;
  graph.setPlan(std::move(plan));
  return PassStatus::Changed;
}
[[maybe_unused]] PassInfo pass(const char* name, PassFunction run) {
  return functionPass(name, "A test", "", run);
}

[[maybe_unused]] Status registerNothing(PluginRegistrar&) { return {}; }

} // namespace

#define EXPORTED __attribute__((visibility("default")))
#define NO_ENTRY 0
#define NULL_INFO 1
#define API_VERSION 2
#define STRUCT_SIZE 3
#define INCOMPLETE 4
#define ABI_TAG 5
#define DUPLICATE_PASS 6
#define BAD_NAME 7
#define NO_CREATE 8
#define BAD_EXTENSION 9
#define THROWS 10
#define THROWS_INT 11
#define REFUSES 12
#define BAD_PASSES 13
#define BAD_PLAN 14
#define UNRESOLVED 15

#if BAD_PLUGIN == UNRESOLVED
void nobodyDefinesThis();
void callIt() { nobodyDefinesThis(); }
#endif

#if BAD_PLUGIN == NULL_INFO
extern "C" EXPORTED const TigrisPassPluginInfo* tigrisGetPassPluginInfo() { return nullptr; }
#elif BAD_PLUGIN >= API_VERSION && BAD_PLUGIN <= ABI_TAG
extern "C" EXPORTED const TigrisPassPluginInfo* tigrisGetPassPluginInfo() {
  static const TigrisPassPluginInfo Info = {
      BAD_PLUGIN == API_VERSION ? 99 : TIGRIS_PLUGIN_API_VERSION,
      BAD_PLUGIN == STRUCT_SIZE ? 8 : sizeof(TigrisPassPluginInfo),
      "odd",
      "1.0",
      BAD_PLUGIN == ABI_TAG ? "tigris 0.0.7, libc++" : TIGRIS_ABI_TAG,
      BAD_PLUGIN == INCOMPLETE ? nullptr : registerNothing};
  return &Info;
}
#elif BAD_PLUGIN >= DUPLICATE_PASS && BAD_PLUGIN <= BAD_PLAN
static Status registerPasses(PluginRegistrar& registrar) {
#if BAD_PLUGIN == DUPLICATE_PASS
  return registrar.addPass(pass("dead-code", nothing));
#elif BAD_PLUGIN == BAD_NAME
  return registrar.addPass(pass("Not Kebab", nothing));
#elif BAD_PLUGIN == NO_CREATE
  PassInfo info;
  info.name = "hollow";
  return registrar.addPass(std::move(info));
#elif BAD_PLUGIN == BAD_EXTENSION
  registrar.extend(ExtensionPoint::NormEnd, "dead-cod");
  return {};
#elif BAD_PLUGIN == THROWS
  (void)registrar;
  throw std::runtime_error("out of luck");
#elif BAD_PLUGIN == THROWS_INT
  (void)registrar;
  throw 42;
#elif BAD_PLUGIN == REFUSES
  (void)registrar;
  return makeError(DiagId::PluginError, "the license of plugin 'odd' has expired");
#elif BAD_PLUGIN == BAD_PLAN
  registrar.extend(ExtensionPoint::PlanEnd, "pile-up");
  return registrar.addPass(pass("pile-up", pileUp));
#else
  if (Status status = registrar.addPass(pass("throwing", throwing)); !status)
    return status;
  if (Status status = registrar.addPass(pass("crashing", crashing)); !status)
    return status;
  return registrar.addPass(pass("wrong", wrong));
#endif
}
TIGRIS_PASS_PLUGIN("odd", "1.0", registerPasses)
#endif
