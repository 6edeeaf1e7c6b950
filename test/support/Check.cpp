// Converts directives to regular expressions and matches them line by line.
#include "Check.h"

#include "tigris/Support/StringUtils.h"

#include <algorithm>
#include <regex>
#include <vector>

namespace tigris {

namespace {

enum class Directive { Plain, Next, Not, Dag };

struct Expectation {
  Directive directive = Directive::Plain;
  std::string spelling;
  std::regex pattern;
};

std::string squeezeBlanks(std::string_view line) {
  std::string out;
  for (const char c : trim(line))
    if (c != ' ' && c != '\t')
      out += c;
    else if (out.empty() || out.back() != ' ')
      out += ' ';
  return out;
}

std::string escape(std::string_view literal) {
  std::string out;
  for (const char c : literal) {
    if (std::string_view("^$\\.*+?()[]{}|").find(c) != std::string_view::npos)
      out += '\\';
    out += c;
  }
  return out;
}

std::regex toRegex(std::string_view pattern) {
  std::string out;
  for (size_t at = 0; at < pattern.size();) {
    const size_t open = pattern.find("{{", at);
    const size_t close = open == std::string_view::npos ? open : pattern.find("}}", open);
    if (close == std::string_view::npos) {
      out += escape(pattern.substr(at));
      break;
    }
    out += escape(pattern.substr(at, open - at));
    out += strCat("(?:", pattern.substr(open + 2, close - open - 2), ")");
    at = close + 2;
  }
  return std::regex(out);
}

std::vector<Expectation> parseScript(std::string_view script, std::string_view prefix) {
  const std::pair<const char*, Directive> suffixes[] = {{"-NEXT:", Directive::Next},
                                                        {"-NOT:", Directive::Not},
                                                        {"-DAG:", Directive::Dag},
                                                        {":", Directive::Plain}};
  std::vector<Expectation> expectations;
  for (const std::string_view line : split(script, '\n')) {
    for (const auto& [suffix, directive] : suffixes) {
      const std::string marker = strCat("# ", prefix, suffix);
      const size_t at = line.find(marker);
      if (at == std::string_view::npos)
        continue;
      const std::string pattern = squeezeBlanks(line.substr(at + marker.size()));
      expectations.push_back({directive, std::string(trim(line)), toRegex(pattern)});
      break;
    }
  }
  return expectations;
}

class Matcher {
public:
  explicit Matcher(std::string_view text) {
    for (const std::string_view line : split(text, '\n'))
      lines_.push_back(squeezeBlanks(line));
  }

  std::optional<std::string> run(const std::vector<Expectation>& expectations) {
    size_t firstNot = 0;
    for (size_t i = 0; i < expectations.size(); ++i) {
      const Expectation& expected = expectations[i];
      if (expected.directive == Directive::Not)
        continue;
      const size_t from = line_;
      std::optional<std::string> failure =
          expected.directive == Directive::Dag ? matchDag(expectations, i) : match(expected);
      if (failure)
        return failure;
      if ((failure = absent(expectations, firstNot, i, from, line_ - 1)))
        return failure;
      firstNot = i + 1;
    }
    return absent(expectations, firstNot, expectations.size(), line_, lines_.size());
  }

private:
  std::optional<std::string> match(const Expectation& expected) {
    const size_t last =
        expected.directive == Directive::Next ? std::min(line_ + 1, lines_.size()) : lines_.size();
    for (size_t at = line_; at < last; ++at)
      if (std::regex_search(lines_[at], expected.pattern)) {
        line_ = at + 1;
        return std::nullopt;
      }
    return fail("not found", expected);
  }

  /// Matches a whole run of CHECK-DAG, ending at `index`, from the line where the run began.
  std::optional<std::string> matchDag(const std::vector<Expectation>& expectations, size_t index) {
    const bool continues = index > 0 && expectations[index - 1].directive == Directive::Dag;
    if (!continues)
      dagStart_ = line_;
    const size_t reached = line_;
    line_ = dagStart_;
    std::optional<std::string> failure =
        match({Directive::Plain, expectations[index].spelling, expectations[index].pattern});
    line_ = std::max(line_, reached);
    return failure;
  }

  std::optional<std::string> absent(const std::vector<Expectation>& expectations, size_t first,
                                    size_t last, size_t from, size_t to) const {
    for (size_t i = first; i < last; ++i)
      if (expectations[i].directive == Directive::Not)
        for (size_t at = from; at < to && at < lines_.size(); ++at)
          if (std::regex_search(lines_[at], expectations[i].pattern))
            return strCat(expectations[i].spelling, "\n  must not match: ", lines_[at], "\n",
                          all());
    return std::nullopt;
  }

  std::optional<std::string> fail(const char* why, const Expectation& expected) const {
    return strCat(expected.spelling, "\n  ", why, " from line ", line_ + 1, " on\n", all());
  }

  std::string all() const { return join(lines_, "\n"); }

  std::vector<std::string> lines_;
  /// First line that has not been matched yet.
  size_t line_ = 0;
  size_t dagStart_ = 0;
};

} // namespace

std::optional<std::string> checkText(std::string_view text, std::string_view script,
                                     std::string_view prefix) {
  const std::vector<Expectation> expectations = parseScript(script, prefix);
  if (expectations.empty())
    return strCat("no ", prefix, " directive in the script");
  return Matcher(text).run(expectations);
}

} // namespace tigris
