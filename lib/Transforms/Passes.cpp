// Registers the built-in passes and defines the pipelines that normalize.
#include "tigris/Transforms/Passes.h"

#include "tigris/IR/ConstantEval.h"
#include "tigris/IR/ShapeInference.h"

#include <algorithm>

namespace tigris {

namespace {

// The order matters. Constants come first, because all other passes use them. Arguments, padding
// and quantization get their final form next, so that later passes see one spelling of each
// operator. Products become Gemm before batch normalizations are folded into them; relabeling
// follows, in the order of the specification. The layout changes when all axes are attributes.
// Activations are fused last, when every operator has its final kind and position; after that, only
// axes are merged, because other passes rely on the axes of the model.
constexpr std::string_view Default =
    // constants and dead code
    "norm-start,infer-shapes,constant-op-fold,identity-removal,constant-fold,static-args,"
    "explicit-padding,common-subexpression,dead-code,"
    // quantization
    "quant-annotate,qdq-move,qdq-fold,quant-interface,constant-fold{dequantize},"
    // fewer kinds of operators
    "exporter-patterns,pad-fold,split-to-slices,gather-to-slice,repeat-to-gather,sum-to-add,"
    "matmul-to-gemm,gemm-canonicalize,split-projection,batch-norm-fold,scale-fold,scale-sink,"
    "depthwise-conv-relabel,conv1d-relabel,clip-to-relu6,reduce-mean-to-gap,"
    "depth-to-space-lower,shape-fold,resize-scale-extract,identity-removal,dead-code,"
    // channels last
    "layout-assign,"
    "fixpoint(transpose-sink,concat-axis-normalize,transpose-regroup,transpose-cancel),"
    "transpose-into-weights,transpose-hoist,transpose-cancel,"
    "input-transpose-trim,output-transpose-trim,shuffle-to-gather,shape-fold,"
    // fusion
    "norm-before-fuse,activation-fuse,split-projection,concat-split,merge-axes,shape-fold,"
    "state-align,dead-code,norm-end";

// The thirteen passes of the compilation pipeline's specification in their order. Constant folding
// is two passes here, quantization folding four. Then follows only what the kernels require:
// arguments as attributes, operators that have a kernel, and channels last. Quantization folding,
// batch normalization folding, the Concat axes and the output transposes have more to do when
// arguments are attributes and channels are last, so these passes run again there.
constexpr std::string_view Specification =
    "constant-op-fold,constant-fold,quant-annotate,qdq-move,qdq-fold,quant-interface,"
    "batch-norm-fold,silu-decompose,depthwise-conv-relabel,conv1d-relabel,clip-to-relu6,"
    "reduce-mean-to-gap,shape-fold,resize-scale-extract,concat-axis-normalize,"
    "output-transpose-trim,activation-fuse,"
    // lowering
    "identity-removal,constant-fold,static-args,explicit-padding,"
    "quant-annotate,qdq-move,qdq-fold,quant-interface,constant-fold{dequantize},"
    "batch-norm-fold,split-to-slices,repeat-to-gather,sum-to-add,matmul-to-gemm,gemm-canonicalize,"
    "depth-to-space-lower,shape-fold,resize-scale-extract,dead-code,layout-assign,"
    "fixpoint(transpose-sink,concat-axis-normalize,transpose-cancel),"
    "input-transpose-trim,output-transpose-trim,state-align,dead-code";

constexpr NamedPipeline Pipelines[] = {{"default", Default}, {"specification", Specification}};

std::string reasonToRefuse(const Graph& graph, const Op& op) {
  if (op.kind == OpKind::Unknown)
    return "no kernel executes this operator and no pass of the pipeline replaces it";
  const OpInfo& info = opInfo(op.kind);
  for (size_t i = 0; i < info.operands.size(); ++i)
    if (info.operands[i].compileTime && op.input(i))
      return strCat("operand '", info.operands[i].name, "' ('", graph.tensor(op.input(i)).name,
                    "') must be known at compile time but depends on the model's inputs");
  // Operators that repeat-to-gather did not convert.
  if ((op.kind == OpKind::Tile || op.kind == OpKind::Expand) &&
      static_cast<uint64_t>(graph.tensor(op.output()).elements()) > MaxMadeBytes / sizeof(int64_t))
    return strCat("its result of shape ", graph.tensor(op.output()).shape.str(),
                  " requires an index table larger than the ", formatBytes(MaxMadeBytes),
                  " allowed at compile time");
  if (info.category != OpCategory::Compile)
    return {};
  switch (op.kind) {
  case OpKind::BatchNormalization:
    return "its parameters are not float constants, or it is in training mode; "
           "export the model for inference";
  case OpKind::Dropout:
    return "it is in training mode; export the model for inference";
  case OpKind::Sum:
    return "a sum of more than two quantized tensors has no kernel";
  default:
    if (std::all_of(op.inputs.begin(), op.inputs.end(),
                    [&](TensorId id) { return !id || graph.tensor(id).isConstant(); }))
      return strCat("its result of ", graph.tensor(op.output()).bytes(),
                    " bytes is more than what is computed at compile time (",
                    formatBytes(MaxMadeBytes), " each, ", formatBytes(MaxMadeBytesInAll),
                    " in all); store it in the model");
    return "it can only be computed at compile time, but its operands depend on the model's inputs";
  }
}

/// A tensor with an unknown shape that an operator reads or writes. Only a handwritten module has
/// one, after an unknown operator.
TensorId withoutShape(const Graph& graph) {
  for (const OpId id : graph.order())
    for (const auto* operands : {&graph.op(id).inputs, &graph.op(id).outputs})
      for (const TensorId operand : *operands)
        if (operand && !graph.tensor(operand).hasShape)
          return operand;
  return {};
}

/// Runs a pass with all shapes inferred, because passes assume known shapes.
class ShapedPass : public Pass {
public:
  explicit ShapedPass(std::unique_ptr<Pass> pass) : pass_(std::move(pass)) {}
  PassStatus run(Graph& graph, PassContext& context) override {
    const TensorId unknown = withoutShape(graph);
    if (unknown)
      return context.fail(DiagId::DynamicShape, "the shape of tensor '", graph.tensor(unknown).name,
                          "' is not known");
    return pass_->run(graph, context);
  }

private:
  std::unique_ptr<Pass> pass_;
};

PassInfo needingShapes(PassInfo info) {
  if (info.name != "infer-shapes")
    info.create = [create = std::move(info.create)](const PassOptions& options) {
      return std::make_unique<ShapedPass>(create(options));
    };
  return info;
}

/// An operand or a result without elements. Constants and unused parts have been removed before.
TensorId withoutElements(const Graph& graph, const Op& op) {
  for (const auto* tensors : {&op.inputs, &op.outputs})
    for (const TensorId id : *tensors)
      if (id && graph.tensor(id).hasShape && graph.tensor(id).elements() == 0)
        return id;
  return {};
}

Status refuse(const Graph& graph, const Op& op) {
  if (const TensorId empty = withoutElements(graph, op))
    return makeError(DiagId::UnsupportedOp, "op '", op.name, "' (", op.kindName(), "): tensor '",
                     graph.tensor(empty).name, "' of shape ", graph.tensor(empty).shape.str(),
                     " has no elements");
  const std::string reason = reasonToRefuse(graph, op);
  if (!reason.empty())
    return makeError(DiagId::UnsupportedOp, "op '", op.name, "' (", op.kindName(), "): ", reason);
  return checkSupported(op, graph);
}

} // namespace

Status registerTransforms(PassRegistry& registry) {
#define TIGRIS_TRANSFORM(x)                                                                        \
  if (Status status = registry.add(needingShapes(x##Pass())); !status)                             \
    return status;
#include "tigris/Transforms/Passes.def"
  for (const NamedPipeline& pipeline : Pipelines)
    if (Status status =
            registry.addPipeline(std::string(pipeline.name), std::string(pipeline.text));
        !status)
      return status;
  return {};
}

std::span<const NamedPipeline> normalizingPipelines() { return Pipelines; }

bool finishNormalization(Graph& graph, DiagnosticEngine& diagnostics) {
  bool executable = true;
  for (const OpId id : graph.order()) {
    const Op& op = graph.op(id);
    const Status refused = refuse(graph, op);
    if (refused)
      continue;
    executable = false;
    Diagnostic diagnostic = refused.error().diagnostic();
    if (!op.origin.empty())
      diagnostic.notes.push_back(strCat("from ONNX node '", join(op.origin, "', '"), "'"));
    diagnostics.report(std::move(diagnostic));
  }
  for (const Port& port : graph.outputs())
    if (graph.tensor(port.tensor).hasShape && graph.tensor(port.tensor).elements() == 0) {
      executable = false;
      diagnostics.report(makeError(DiagId::UnsupportedOp, "output '", port.name, "' of shape ",
                                   graph.tensor(port.tensor).shape.str(), " has no elements")
                             .diagnostic());
    }
  if (executable && graph.form() == GraphForm::Imported)
    graph.setForm(GraphForm::Normalized);
  return executable;
}

} // namespace tigris
