// Pipeline texts: the accepted ones, their results, and the positions of errors.
#include "tigris/Pass/Pipeline.h"

#include <doctest/doctest.h>

using namespace tigris;

namespace {

PassInfo named(const std::string& name) {
  return functionPass(name, "does nothing", "",
                      [](Graph&, PassContext&) { return PassStatus::Unchanged; });
}

PassRegistry tunedRegistry() {
  PassRegistry registry;
  PassInfo tuned = named("tuned");
  tuned.options = {{"size", PassOptionKind::Int, ""},
                   {"fast", PassOptionKind::Flag, ""},
                   {"file", PassOptionKind::Text, ""}};
  for (PassInfo info : {named("alpha"), named("beta"), tuned})
    REQUIRE(registry.add(std::move(info)));
  REQUIRE(registry.addPipeline("default", "alpha,fixpoint(beta,alpha)"));
  REQUIRE(registry.addPipeline("loop", "alpha,loop"));
  return registry;
}

std::string resolved(std::string_view text) {
  const PassRegistry registry = tunedRegistry();
  const Expected<Pipeline> pipeline = parsePipeline(text, registry);
  return pipeline ? printPipeline(*pipeline) : pipeline.error().message();
}

/// "column: message".
std::string failure(std::string_view text) {
  const PassRegistry registry = tunedRegistry();
  const Expected<Pipeline> pipeline = parsePipeline(text, registry);
  REQUIRE_FALSE(pipeline);
  CHECK(pipeline.error().id() == DiagId::BadPipeline);
  const Diagnostic& diagnostic = pipeline.error().diagnostic();
  return strCat(diagnostic.loc.column, ": ", diagnostic.message);
}

} // namespace

TEST_CASE("pipeline texts print as they were resolved") {
  CHECK(resolved("alpha") == "alpha");
  CHECK(resolved(" alpha ,\n beta") == "alpha,beta");
  CHECK(resolved("tuned{size=3 fast}") == "tuned{fast size=3}");
  CHECK(resolved("tuned{file=a/b.yaml fast=true}") == "tuned{fast=true file=a/b.yaml}");
  CHECK(resolved("tuned{}") == "tuned");
  CHECK(resolved("repeat{n=2}(alpha,fixpoint(beta))") == "repeat{n=2}(alpha,fixpoint(beta))");
  CHECK(resolved("default,beta") == "alpha,fixpoint(beta,alpha),beta");
  for (const char* text : {"alpha,tuned{fast size=-1}", "fixpoint(alpha,repeat{n=9}(beta))"})
    CHECK(resolved(resolved(text)) == text);
}

TEST_CASE("pipeline errors point at the column and suggest") {
  CHECK(failure("alpha,btea") == "7: unknown pass 'btea'; did you mean 'beta'?");
  CHECK(failure("qqqqqq") == "1: unknown pass 'qqqqqq'; list the passes with --print-passes");
  CHECK(failure("") == "1: pipeline: expected the name of a pass");
  CHECK(failure("alpha,") == "7: pipeline: expected the name of a pass");
  CHECK(failure("alpha,,beta") == "7: pipeline: expected the name of a pass, found ','");
  CHECK(failure("alpha beta") == "7: pipeline: expected ',' or the end of the pipeline, found 'b'");
  CHECK(failure("alpha)") == "6: pipeline: expected ',' or the end of the pipeline, found ')'");
  CHECK(failure("alpha(beta)") == "6: pipeline: 'alpha' takes no nested pipeline");
  CHECK(failure("fixpoint") == "9: pipeline: expected '(' after 'fixpoint'");
  CHECK(failure("fixpoint(alpha") == "15: pipeline: expected ')' to close 'fixpoint('");
  CHECK(failure("repeat(alpha)") == "1: pipeline: 'repeat' needs its count: repeat{n=2}(...)");
  CHECK(failure("repeat{n=0}(alpha)") ==
        "8: pipeline: option 'n' of 'repeat' is '0', expected a number from 1 to 1000");
  CHECK(failure("fixpoint{n=2}(alpha)") == "10: pipeline: 'fixpoint' has no option 'n'");
  CHECK(failure("tuned{siez=3}") ==
        "7: pipeline: pass 'tuned' has no option 'siez'; did you mean 'size'?");
  CHECK(failure("tuned{size=big}") ==
        "7: pipeline: option 'size' of 'tuned' is 'big', expected a whole number");
  CHECK(failure("tuned{fast=perhaps}") ==
        "7: pipeline: option 'fast' of 'tuned' is 'perhaps', expected true or false");
  CHECK(failure("tuned{file}") == "7: pipeline: option 'file' of 'tuned' is '', expected a value");
  CHECK(failure("tuned{size=}") == "12: pipeline: option 'size' has no value after '='");
  CHECK(failure("tuned{fast fast}") == "12: pipeline: option 'fast' is given twice");
  CHECK(failure("tuned{fast") == "11: pipeline: expected an option or '}'");
  CHECK(failure("default{x}") == "8: pipeline: 'default' is a pipeline and takes no options");
  CHECK(failure("loop").find("nested more than") != std::string::npos);
  CHECK(failure(std::string(5000, '(')).find("expected the name") != std::string::npos);
  std::string deep;
  for (int i = 0; i < 5000; ++i)
    deep += "fixpoint(";
  CHECK(failure(deep).find("nested more than") != std::string::npos);
}

TEST_CASE("the line of an error counts too") {
  const PassRegistry registry = tunedRegistry();
  const Expected<Pipeline> pipeline = parsePipeline("alpha,\n  beat", registry);
  REQUIRE_FALSE(pipeline);
  CHECK(pipeline.error().diagnostic().loc.line == 2);
  CHECK(pipeline.error().diagnostic().loc.column == 3);
}

TEST_CASE("skipped passes leave the pipeline everywhere") {
  const PassRegistry registry = tunedRegistry();
  Expected<Pipeline> pipeline = parsePipeline("default,repeat{n=2}(beta),tuned", registry);
  REQUIRE(pipeline);
  REQUIRE(skipPasses(*pipeline, {"beta"}, registry));
  CHECK(printPipeline(*pipeline) == "alpha,fixpoint(alpha),tuned");
  const Status unknown = skipPasses(*pipeline, {"bete"}, registry);
  REQUIRE_FALSE(unknown);
  CHECK(unknown.error().message() == "unknown pass 'bete'; did you mean 'beta'?");
}

TEST_CASE("a registry names both providers of one name") {
  PassRegistry registry = tunedRegistry();
  const Status twice = registry.add(named("alpha"), "plugin 'extra'");
  REQUIRE_FALSE(twice);
  CHECK(twice.error().id() == DiagId::DuplicateName);
  CHECK(twice.error().message() ==
        "pass 'alpha' from plugin 'extra' is already provided by tigris");
  CHECK_FALSE(registry.addPipeline("beta", "alpha"));
  for (const char* name :
       {"", "Upper", "two words", "-x", "x-", "x--y", "9x", "fixpoint", "repeat"}) {
    INFO(name);
    CHECK_FALSE(registry.add(named(name)));
  }
  CHECK(registry.passes().size() == 3);
  CHECK(registry.provider("alpha") == "tigris");
}

TEST_CASE("an extension point expands to the passes added there, possibly none") {
  PassRegistry registry = tunedRegistry();
  REQUIRE(registry.addPipeline("staged", "norm-start,alpha,fixpoint(norm-end)"));
  const auto text = [&](std::string_view pipeline) {
    const Expected<Pipeline> parsed = parsePipeline(pipeline, registry);
    return parsed ? printPipeline(*parsed) : parsed.error().message();
  };
  CHECK(text("staged") == "alpha");
  registry.extend(ExtensionPoint::NormStart, "beta,tuned{fast}");
  registry.extend(ExtensionPoint::NormStart, "alpha");
  registry.extend(ExtensionPoint::NormEnd, "beta");
  CHECK(text("staged") == "beta,tuned{fast},alpha,alpha,fixpoint(beta)");
  CHECK(text("norm-start") == "beta,tuned{fast},alpha");
  CHECK(text("norm-start{x}") == "pipeline: 'norm-start' is a pipeline and takes no options");
  CHECK_FALSE(registry.add(named("plan-end")));
  for (const ExtensionPoint point : allExtensionPoints())
    CHECK(parseExtensionPoint(extensionPointName(point)) == point);
}
