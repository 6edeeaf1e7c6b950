// Formats the help text, the manual page, and the explanations of diagnostics.
#include "tigris/Driver/CommandLine/HelpText.h"

#include <algorithm>
#include <cctype>

namespace tigris {

namespace {

using Entry = OptionTable::Entry;

/// "[IN]", "MODEL", "".
std::string positional(const ToolSpec& spec) {
  if (spec.input.empty())
    return {};
  return spec.inputRequired || !spec.commands.empty() ? spec.input : "[" + spec.input + "]";
}

std::string usageLine(const ToolSpec& spec) {
  std::string usage = spec.name;
  if (!spec.input.empty())
    usage += " " + positional(spec);
  if (spec.outputRequired)
    usage += " -o " + spec.outputName;
  return usage + " [OPTION]...";
}

std::string stdinSentence(const ToolSpec& spec) {
  if (spec.input.empty() || spec.inputRequired || !spec.commands.empty())
    return {};
  return spec.input + " is a file, or - for standard input (the default).";
}

/// "--print-passes[=md]", "--memory=SIZE ...".
std::string longForm(const Entry& entry) {
  std::string text = "--" + entry.longName;
  if (entry.implied)
    text += "[=" + entry.metavar + "]";
  else if (!entry.metavar.empty())
    text += "=" + entry.metavar;
  return entry.repeats ? text + " ..." : text;
}

// --- the help text

constexpr size_t Width = 80;
constexpr size_t HelpColumn = 30;

/// Appends `text` to the last line of `out`. A line that would be wider than Width is broken after
/// a `breakAfter`, and the text continues at column `indent`.
void fill(std::string& out, std::string_view text, char breakAfter, size_t indent) {
  size_t column = out.size() - (out.rfind('\n') + 1);
  while (!text.empty()) {
    std::string_view piece = text.substr(0, std::min(text.find(breakAfter), text.size() - 1) + 1);
    text.remove_prefix(piece.size());
    if (column > indent && column + piece.size() - (piece.ends_with(' ') ? 1 : 0) > Width) {
      out.resize(out.find_last_not_of(' ') + 1);
      out += "\n" + std::string(indent, ' ');
      column = indent;
      piece.remove_prefix(std::min(piece.find_first_not_of(' '), piece.size()));
    }
    out += piece;
    column += piece.size();
  }
}

/// The indentation for the continuation of a long line: the start of its second column, if it has
/// two.
size_t hangingIndent(std::string_view line) {
  const size_t first = std::min(line.find_first_not_of(' '), line.size());
  const size_t gap = line.find("  ", first);
  return gap == std::string_view::npos ? first : line.find_first_not_of(' ', gap);
}

/// Fills paragraphs. Lines that begin with a blank are not joined with others.
std::string filledText(std::string_view text) {
  std::string result;
  std::string paragraph;
  const auto endParagraph = [&] {
    if (paragraph.empty())
      return;
    fill(result, paragraph, ' ', 0);
    result += "\n";
    paragraph.clear();
  };
  for (const std::string_view line : split(trim(text), '\n')) {
    if (!line.empty() && line[0] != ' ') {
      paragraph += strCat(paragraph.empty() ? "" : " ", line);
      continue;
    }
    endParagraph();
    fill(result, line, ' ', hangingIndent(line));
    result += "\n";
  }
  endParagraph();
  return result;
}

std::string optionText(const Entry& entry) {
  std::string left = entry.shortName != 0 ? strCat("  -", entry.shortName, ", ") : "      ";
  const std::string form = longForm(entry);
  fill(left, form, '|', left.size() + form.find('=') + 1);
  if (left.size() + 2 > HelpColumn)
    left += "\n" + std::string(HelpColumn, ' ');
  else
    left.resize(HelpColumn, ' ');
  fill(left, entry.help, ' ', HelpColumn);
  return left + "\n";
}

/// Breaks a pipeline after a bar, where the shell allows a line break.
std::string exampleText(std::string_view example) {
  std::string text = "  ";
  fill(text, example, '|', 4);
  return text + "\n";
}

// --- manual page

/// The name of the page. It contains no blanks, because whatis and apropos accept only single
/// words.
std::string pageName(const ToolSpec& spec) {
  std::string name = spec.name;
  std::replace(name.begin(), name.end(), ' ', '-');
  return name;
}

/// Escapes text so that troff prints it unchanged: minus signs that can be copied, and no requests
/// at the start of a line.
std::string troff(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '\\')
      result += "\\e";
    else if (c == '-')
      result += "\\-";
    else if ((c == '.' || c == '\'') && (result.empty() || result.back() == '\n'))
      result += std::string("\\&") + c;
    else
      result += c;
  }
  return result;
}

std::string upper(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

} // namespace

std::string helpText(const ToolSpec& spec, const OptionTable& table) {
  std::string text = "usage: " + usageLine(spec) + "\n\n" + filledText(spec.summary);
  if (const std::string sentence = stdinSentence(spec); !sentence.empty())
    text += filledText(sentence);
  text += "\nOPTIONS\n";
  for (const Entry& entry : table.entries())
    text += optionText(entry);
  if (!spec.details.empty())
    text += "\n" + filledText(spec.details);
  if (!spec.examples.empty()) {
    text += "\nEXAMPLES\n";
    for (const std::string_view example : split(trim(spec.examples), '\n'))
      text += exampleText(example);
  }
  return text;
}

std::string manPage(const ToolSpec& spec, const OptionTable& table) {
  std::string summary = spec.summary;
  if (summary.ends_with('.'))
    summary.pop_back();
  std::string text = strCat(".TH ", upper(troff(pageName(spec))), " 1 \"\" \"TiGrIS ",
                            tigrisVersion(), "\"\n", ".SH NAME\n", troff(pageName(spec)), " \\- ",
                            troff(summary), "\n", ".SH SYNOPSIS\n.B ", troff(spec.name), "\n",
                            troff(usageLine(spec).substr(spec.name.size() + 1)), "\n",
                            ".SH DESCRIPTION\n", troff(spec.summary), "\n");
  if (const std::string sentence = stdinSentence(spec); !sentence.empty())
    text += ".PP\n" + troff(sentence) + "\n";
  if (!spec.details.empty())
    text += ".PP\n" + troff(trim(spec.details)) + "\n";
  text += ".SH OPTIONS\n";
  for (const Entry& entry : table.entries()) {
    text += ".TP\n.B ";
    if (entry.shortName != 0)
      text += strCat("\\-", entry.shortName, ", ");
    text += strCat(troff(longForm(entry)), "\n", troff(entry.help), "\n");
  }
  text += ".SH EXIT STATUS\n"
          ".TP\n.B 0\nsuccess\n"
          ".TP\n.B 1\nbad input or an unsupported model\n"
          ".TP\n.B 2\nwrong command line\n"
          ".TP\n.B 3\nthe model is valid but does not fit the budget\n"
          ".TP\n.B 70\nan internal error, which is a bug\n"
          ".SH ENVIRONMENT\n"
          ".TP\n.B NO_COLOR\nif set and not empty, disables colors in messages on a terminal\n"
          ".TP\n.B TERM\nif unset or 'dumb', disables the progress line on a terminal\n";
  if (table.find("load-pass-plugin") != nullptr)
    text += ".TP\n.B TIGRIS_PLUGIN_PATH\ncolon-separated list of directories to search for plugins "
            "by name\n";
  if (!spec.examples.empty())
    text += ".SH EXAMPLES\n.nf\n" + troff(spec.examples) +
            (spec.examples.ends_with('\n') ? "" : "\n") + ".fi\n";
  return text;
}

Expected<std::string> explainDiagnostic(const std::string& id) {
  if (id == "all") {
    std::string text =
        "# Diagnostics\n\n"
        "Generated by `tigris-norm --explain=all`; do not edit.\n\n"
        "Errors and warnings end with an id in brackets: "
        "`model.yaml:42:5: error: op 'conv1': 'strides' has 3\nvalues, expected 2 [bad-attr]`. "
        "Every tool explains one with `--explain=ID`.\n\n"
        "| id | exit code | meaning |\n|---|---|---|\n";
    for (const DiagId diag : allDiagIds())
      text += strCat("| `", diagSpelling(diag), "` | ", exitCodeOf(diag), " | ", diagHelp(diag),
                     " |\n");
    return text;
  }
  std::vector<std::string> ids;
  for (const DiagId diag : allDiagIds()) {
    if (id == diagSpelling(diag))
      return strCat(id, ": ", diagHelp(diag), " (exit code ", exitCodeOf(diag), ")\n");
    ids.emplace_back(diagSpelling(diag));
  }
  const auto near = nearestSpelling(id, ids);
  return makeError(DiagId::Usage, "option '--explain': unknown message id '", id, "'",
                   near ? "; did you mean '" + *near + "'?" : "; --explain=all lists them");
}

} // namespace tigris
