// Finds signatures by their names.
#include "tigris/Import/Tflite/Signature.h"

#include "tigris/Support/StringUtils.h"

#include <algorithm>

namespace tigris {

namespace {

std::string signatureNames(const std::vector<const tflite::SignatureDef*>& signatures) {
  std::string names;
  for (const tflite::SignatureDef* signature : signatures)
    names += strCat(names.empty() ? "" : ", ", "'", textOf(signature->signature_key()), "'");
  return names.empty() ? "the model has no signatures" : strCat("the model has ", names);
}

/// Adds the names of the tensors that are `ports` of the subgraph.
Status addPortNames(const flatbuffers::Vector<flatbuffers::Offset<tflite::TensorMap>>* maps,
                    const std::vector<int32_t>& ports, const std::string& signature,
                    std::map<int32_t, std::string>& names) {
  for (const tflite::TensorMap* map : tablesOf(maps)) {
    if (std::none_of(ports.begin(), ports.end(), [&](int32_t port) {
          return static_cast<uint32_t>(port) == map->tensor_index();
        }))
      return makeError(DiagId::BadModel, "signature '", signature, "' names tensor ",
                       map->tensor_index(), ", which is no input or output of its subgraph");
    names.emplace(static_cast<int32_t>(map->tensor_index()), textOf(map->name()));
  }
  return {};
}

} // namespace

Expected<Signature> findSignature(const FlatModel& model, const std::string& name) {
  if (name.empty())
    return Signature();
  const std::vector<const tflite::SignatureDef*> signatures =
      tablesOf(model.root().signature_defs());
  for (const tflite::SignatureDef* found : signatures) {
    if (textOf(found->signature_key()) != name)
      continue;
    if (found->subgraph_index() >= model.graphs().size())
      return makeError(DiagId::BadModel, "signature '", name, "' is subgraph ",
                       found->subgraph_index(), ", the model has ", model.graphs().size());
    Signature signature;
    signature.graph = found->subgraph_index();
    const FlatGraph& graph = model.graphs()[signature.graph];
    if (Status status = addPortNames(found->inputs(), graph.inputs, name, signature.inputs);
        !status)
      return status.takeError();
    if (Status status = addPortNames(found->outputs(), graph.outputs, name, signature.outputs);
        !status)
      return status.takeError();
    return signature;
  }
  return makeError(DiagId::Usage, "option '--signature': '", name, "' is unknown; ",
                   signatureNames(signatures));
}

} // namespace tigris
