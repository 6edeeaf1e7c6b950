// Recursive-descent parser and printer of pipeline texts.
#include "tigris/Pass/Pipeline.h"

#include <algorithm>

namespace tigris {

namespace {

// A named pipeline may use another one. The limit stops cycles and the nesting of hostile input.
constexpr unsigned MaxDepth = 32;

class Parser {
public:
  Parser(std::string_view text, const PassRegistry& registry, unsigned depth)
      : text_(text), registry_(registry), depth_(depth) {}

  Expected<Pipeline> parseAll() {
    Expected<Pipeline> pipeline = parsePipeline();
    if (!pipeline)
      return pipeline;
    if (position_ != text_.size())
      return fail(position_, "expected ',' or the end of the pipeline, found '", text_[position_],
                  "'");
    return pipeline;
  }

private:
  struct Options {
    struct Item {
      std::string key;
      std::string value;
      size_t position = 0;
    };
    std::vector<Item> items;
    size_t position = 0;
  };

  template <typename... Args> Error fail(size_t position, const Args&... text) const {
    return makeError(DiagId::BadPipeline, "pipeline: ", text...).at(locate(position));
  }

  SourceLoc locate(size_t position) const {
    const std::string_view before = text_.substr(0, position);
    const auto line = 1 + std::count(before.begin(), before.end(), '\n');
    const size_t start = before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
    return {"--passes", static_cast<int>(line), static_cast<int>(position - start) + 1};
  }

  void skipSpace() {
    while (position_ < text_.size() && (text_[position_] == ' ' || text_[position_] == '\n' ||
                                        text_[position_] == '\t' || text_[position_] == '\r'))
      ++position_;
  }

  bool consume(char c) {
    skipSpace();
    if (position_ >= text_.size() || text_[position_] != c)
      return false;
    ++position_;
    return true;
  }

  std::string_view word(std::string_view stop) {
    skipSpace();
    const size_t start = position_;
    while (position_ < text_.size() && stop.find(text_[position_]) == std::string_view::npos)
      ++position_;
    return text_.substr(start, position_ - start);
  }

  Expected<Pipeline> parsePipeline() {
    Pipeline pipeline;
    do {
      Expected<Pipeline> elements = parseElement();
      if (!elements)
        return elements;
      std::move(elements->begin(), elements->end(), std::back_inserter(pipeline));
    } while (consume(','));
    skipSpace();
    return pipeline;
  }

  /// Parses one element, or the elements of the pipeline that it names.
  Expected<Pipeline> parseElement() {
    if (depth_ >= MaxDepth)
      return fail(position_, "nested more than ", MaxDepth, " deep");
    skipSpace();
    const size_t start = position_;
    const std::string_view name = word(" \t\r\n,{}()=");
    if (name.empty())
      return fail(start, "expected the name of a pass",
                  start < text_.size() ? strCat(", found '", text_[start], "'") : std::string());
    Expected<Options> options = parseOptions();
    if (!options)
      return options.takeError();
    PipelineElement element;
    if (name == "fixpoint" || name == "repeat") {
      element.kind =
          name == "repeat" ? PipelineElement::Kind::Repeat : PipelineElement::Kind::Fixpoint;
      return parseGroup(std::move(element), name, start, *options);
    }
    if (consume('('))
      return fail(position_ - 1, "'", name, "' takes no nested pipeline");
    const auto point = parseExtensionPoint(name);
    const std::string* text = registry_.findPipeline(name);
    if ((point || text) && !options->items.empty())
      return fail(options->position, "'", name, "' is a pipeline and takes no options");
    if (point)
      return parseTexts(registry_.extensions(*point));
    if (text)
      return parseTexts({*text});
    element.info = registry_.find(name);
    if (!element.info)
      return registry_.unknownPass(name).at(locate(start));
    if (Status status = setOptions(element, *options); !status)
      return status.takeError();
    return Pipeline{std::move(element)};
  }

  Expected<Pipeline> parseTexts(const std::vector<std::string>& texts) const {
    Pipeline pipeline;
    for (const std::string& text : texts) {
      Expected<Pipeline> part = Parser(text, registry_, depth_ + 1).parseAll();
      if (!part)
        return part;
      std::move(part->begin(), part->end(), std::back_inserter(pipeline));
    }
    return pipeline;
  }

  Expected<Pipeline> parseGroup(PipelineElement element, std::string_view name, size_t start,
                                const Options& options) {
    const bool repeat = element.kind == PipelineElement::Kind::Repeat;
    for (const Options::Item& item : options.items) {
      const auto count = parseInt(item.value);
      if (!repeat || item.key != "n")
        return fail(item.position, "'", name, "' has no option '", item.key, "'");
      if (!count || *count < 1 || *count > 1000)
        return fail(item.position, "option 'n' of 'repeat' is '", item.value,
                    "', expected a number from 1 to 1000");
      element.count = *count;
    }
    if (repeat && options.items.empty())
      return fail(start, "'repeat' needs its count: repeat{n=2}(...)");
    if (!consume('('))
      return fail(position_, "expected '(' after '", name, "'");
    ++depth_;
    Expected<Pipeline> body = parsePipeline();
    --depth_;
    if (!body)
      return body;
    if (!consume(')'))
      return fail(position_, "expected ')' to close '", name, "('");
    element.body = std::move(*body);
    // No plugin extends this extension point.
    return element.body.empty() ? Pipeline() : Pipeline{std::move(element)};
  }

  Expected<Options> parseOptions() {
    Options options;
    options.position = position_;
    if (!consume('{'))
      return options;
    while (!consume('}')) {
      skipSpace();
      Options::Item item;
      item.position = position_;
      item.key = std::string(word(" \t\r\n,{}()="));
      if (item.key.empty())
        return fail(position_, "expected an option or '}'");
      if (consume('=')) {
        item.value = std::string(word(" \t\r\n,{}()"));
        if (item.value.empty())
          return fail(position_, "option '", item.key, "' has no value after '='");
      }
      for (const Options::Item& earlier : options.items)
        if (earlier.key == item.key)
          return fail(item.position, "option '", item.key, "' is given twice");
      options.items.push_back(std::move(item));
    }
    return options;
  }

  Status setOptions(PipelineElement& element, const Options& options) {
    for (const Options::Item& item : options.items) {
      const PassOptionInfo* info = element.info->option(item.key);
      if (!info)
        return unknownOption(*element.info, item);
      const bool known = info->kind == PassOptionKind::Int ? parseInt(item.value).has_value()
                         : info->kind == PassOptionKind::Text
                             ? !item.value.empty()
                             : item.value.empty() || item.value == "true" || item.value == "false";
      if (!known) {
        const char* expected = info->kind == PassOptionKind::Int    ? "a whole number"
                               : info->kind == PassOptionKind::Text ? "a value"
                                                                    : "true or false";
        return fail(item.position, "option '", item.key, "' of '", element.info->name, "' is '",
                    item.value, "', expected ", expected);
      }
      element.options.set(item.key, item.value);
    }
    return {};
  }

  Error unknownOption(const PassInfo& info, const Options::Item& item) const {
    std::vector<std::string> names;
    for (const PassOptionInfo& option : info.options)
      names.push_back(option.name);
    const auto nearest = nearestSpelling(item.key, names);
    return fail(item.position, "pass '", info.name, "' has no option '", item.key, "'",
                nearest ? strCat("; did you mean '", *nearest, "'?") : std::string());
  }

  std::string_view text_;
  const PassRegistry& registry_;
  unsigned depth_;
  size_t position_ = 0;
};

void printElement(const PipelineElement& element, std::string& out) {
  if (element.kind == PipelineElement::Kind::Pass) {
    out += element.info->name;
    if (element.options.empty())
      return;
    char separator = '{';
    for (const auto& [key, value] : element.options) {
      out += separator + key + (value.empty() ? "" : "=" + value);
      separator = ' ';
    }
    out += '}';
    return;
  }
  out += element.kind == PipelineElement::Kind::Fixpoint ? "fixpoint"
                                                         : strCat("repeat{n=", element.count, "}");
  out += "(" + printPipeline(element.body) + ")";
}

void removePasses(Pipeline& pipeline, const std::vector<std::string>& names) {
  for (PipelineElement& element : pipeline)
    removePasses(element.body, names);
  const auto gone = [&](const PipelineElement& element) {
    return element.info ? std::find(names.begin(), names.end(), element.info->name) != names.end()
                        : element.body.empty();
  };
  pipeline.erase(std::remove_if(pipeline.begin(), pipeline.end(), gone), pipeline.end());
}

} // namespace

Expected<Pipeline> parsePipeline(std::string_view text, const PassRegistry& registry) {
  return Parser(text, registry, 0).parseAll();
}

std::string printPipeline(const Pipeline& pipeline) {
  std::string out;
  for (const PipelineElement& element : pipeline) {
    if (!out.empty())
      out += ',';
    printElement(element, out);
  }
  return out;
}

Status skipPasses(Pipeline& pipeline, const std::vector<std::string>& names,
                  const PassRegistry& registry) {
  for (const std::string& name : names)
    if (!registry.find(name))
      return registry.unknownPass(name);
  removePasses(pipeline, names);
  return {};
}

} // namespace tigris
