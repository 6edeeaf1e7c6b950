// The help text, the manual page, and completions for three shells.
#include "tigris/Driver/HelpText.h"

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
    usage += " -o FILE";
  return usage + " [OPTION]...";
}

std::string stdinSentence(const ToolSpec& spec) {
  if (spec.input.empty() || spec.inputRequired || !spec.commands.empty())
    return {};
  return spec.input + " is a file or - for standard input, which is the default.";
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

// --- what a value can be, told from the placeholder

bool isWordList(const Entry& entry) {
  const auto isWord = [](unsigned char c) {
    return std::islower(c) || std::isdigit(c) || c == '-';
  };
  if (entry.metavar.empty())
    return false;
  for (const std::string_view word : split(entry.metavar, '|'))
    if (word.empty() || !std::all_of(word.begin(), word.end(), isWord))
      return false;
  return true;
}

std::vector<std::string_view> words(const Entry& entry) {
  return isWordList(entry) ? split(entry.metavar, '|') : std::vector<std::string_view>();
}

bool isFile(const Entry& entry) {
  return entry.metavar.find("FILE") != std::string::npos || entry.metavar == "LIB" ||
         entry.metavar == "DIR";
}

// --- manual page

/// Text that troff shows as it is: minus signs that can be copied, no request at a line's start.
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

std::string manPage(const ToolSpec& spec, const OptionTable& table) {
  std::string summary = spec.summary;
  if (summary.ends_with('.'))
    summary.pop_back();
  std::string text =
      strCat(".TH ", upper(troff(spec.name)), " 1 \"\" \"TiGrIS ", tigrisVersion(), "\"\n",
             ".SH NAME\n", troff(spec.name), " \\- ", troff(summary), "\n", ".SH SYNOPSIS\n.B ",
             troff(spec.name), "\n", troff(usageLine(spec).substr(spec.name.size() + 1)), "\n",
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
          ".TP\n.B NO_COLOR\nif not empty, messages on a terminal are not coloured\n"
          ".TP\n.B TERM\nif unset or dumb, long work shows no progress on a terminal\n";
  if (table.find("load-pass-plugin") != nullptr)
    text += ".TP\n.B TIGRIS_PLUGIN_PATH\n"
            "directories, separated by colons, in which plugins are looked up by name\n";
  if (!spec.examples.empty())
    text += ".SH EXAMPLES\n.nf\n" + troff(spec.examples) +
            (spec.examples.ends_with('\n') ? "" : "\n") + ".fi\n";
  return text;
}

// --- completions

std::string bashCompletion(const ToolSpec& spec, const OptionTable& table) {
  std::string function = "_" + spec.name;
  std::replace(function.begin(), function.end(), '-', '_');
  std::vector<std::string> all;
  std::string cases;
  for (const Entry& entry : table.entries()) {
    const bool needsValue = !entry.metavar.empty() && !entry.implied;
    all.push_back("--" + entry.longName + (needsValue ? "=" : ""));
    if (entry.shortName != 0)
      all.push_back(strCat("-", entry.shortName));
    if (entry.metavar.empty())
      continue;
    std::string pattern = "--" + entry.longName;
    if (entry.shortName != 0)
      pattern += strCat("|-", entry.shortName);
    const std::string list = join(words(entry), " ");
    if (!list.empty())
      cases += strCat("    ", pattern, ") COMPREPLY=($(compgen -W '", list, "' -- \"$cur\")) ;;\n");
    else if (!isFile(entry))
      cases += strCat("    ", pattern, ") COMPREPLY=() ;;\n");
    else
      cases += strCat("    ", pattern, ") COMPREPLY=($(compgen -f -- \"$cur\")) ;;\n");
  }
  // Bash splits at "=" where COMP_WORDBREAKS has it, which is the default.
  return strCat(function, "() {\n",
                "  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}\n"
                "  if [ \"$cur\" = = ]; then\n"
                "    cur=\n"
                "  elif [ \"$prev\" = = ]; then\n"
                "    prev=${COMP_WORDS[COMP_CWORD-2]}\n"
                "  fi\n"
                "  case $prev in\n",
                cases,
                "    *)\n"
                "      if [[ $cur == -* ]]; then\n"
                "        COMPREPLY=($(compgen -W '",
                join(all, " "),
                "' -- \"$cur\"))\n"
                "        [[ ${COMPREPLY[0]-} != *= ]] || compopt -o nospace\n"
                "      else\n"
                "        COMPREPLY=($(compgen ",
                spec.commands.empty() ? "" : strCat("-W '", join(spec.commands, " "), "' "),
                "-f -- \"$cur\"))\n"
                "      fi ;;\n"
                "  esac\n"
                "}\n"
                "complete -o filenames -F ",
                function, " ", spec.name, "\n");
}

/// Inside single quotes of a shell.
std::string quoted(std::string_view text) {
  std::string result;
  for (const char c : text)
    result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result;
}

std::string zshCompletion(const ToolSpec& spec, const OptionTable& table) {
  const auto escape = [](std::string_view text) {
    std::string result;
    for (const char c : text) {
      if (c == '[' || c == ']' || c == ':' || c == '\\')
        result += '\\';
      result += c;
    }
    return quoted(result);
  };
  std::string text = strCat("#compdef ", spec.name, "\n_arguments -s -S");
  for (const Entry& entry : table.entries()) {
    std::string value;
    if (!entry.metavar.empty()) {
      const std::string list = join(words(entry), " ");
      value = strCat(entry.implied ? "::" : ":", escape(entry.metavar), ":",
                     !list.empty()   ? "(" + list + ")"
                     : isFile(entry) ? "_files"
                                     : " ");
    }
    const std::string repeat = entry.repeats ? "*" : "";
    const std::string help = "[" + escape(entry.help) + "]";
    text += strCat(" \\\n  '", repeat, "--", entry.longName,
                   entry.metavar.empty() ? "" : (entry.implied ? "=-" : "="), help, value, "'");
    if (entry.shortName != 0)
      text += strCat(" \\\n  '", repeat, "-", entry.shortName, entry.metavar.empty() ? "" : "+",
                     help, value, "'");
  }
  if (!spec.input.empty())
    text += strCat(" \\\n  '", spec.inputRequired ? "1:" : "::", escape(spec.input), ":",
                   spec.commands.empty()
                       ? "_files'"
                       : strCat("(", join(spec.commands, " "), ")' '*::file:_files'"));
  return text + "\n";
}

std::string fishCompletion(const ToolSpec& spec, const OptionTable& table) {
  std::string text;
  if (!spec.commands.empty())
    text += strCat("complete -c ", spec.name, " -n __fish_use_subcommand -a '",
                   join(spec.commands, " "), "'\n");
  for (const Entry& entry : table.entries()) {
    text += strCat("complete -c ", spec.name, " -l ", entry.longName);
    if (entry.shortName != 0)
      text += strCat(" -s ", entry.shortName);
    const std::string list = join(words(entry), " ");
    if (!entry.metavar.empty() && !entry.implied)
      text += isFile(entry) ? " -r -F" : " -x";
    if (!list.empty())
      text += strCat(" -a '", list, "'");
    std::string help;
    for (const char c : entry.help)
      help += c == '\'' || c == '\\' ? std::string("\\") + c : std::string(1, c);
    text += strCat(" -d '", help, "'\n");
  }
  return text;
}

} // namespace

std::string helpText(const ToolSpec& spec, const OptionTable& table) {
  std::string text = "usage: " + usageLine(spec) + "\n\n" + spec.summary + "\n";
  if (const std::string sentence = stdinSentence(spec); !sentence.empty())
    text += sentence + "\n";
  text += "\nOPTIONS\n";
  constexpr size_t HelpColumn = 30;
  for (const Entry& entry : table.entries()) {
    std::string left = entry.shortName != 0 ? strCat("  -", entry.shortName, ", ") : "      ";
    left += longForm(entry);
    if (left.size() + 2 > HelpColumn)
      left += "\n" + std::string(HelpColumn, ' ');
    else
      left.resize(HelpColumn, ' ');
    text += left + entry.help + "\n";
  }
  if (!spec.details.empty())
    text += "\n" + spec.details + (spec.details.ends_with('\n') ? "" : "\n");
  if (!spec.examples.empty()) {
    text += "\nEXAMPLES\n";
    for (const std::string_view example : split(trim(spec.examples), '\n'))
      text += strCat("  ", example, "\n");
  }
  return text;
}

std::string generateHelp(const ToolSpec& spec, const OptionTable& table,
                         const std::string& format) {
  if (format == "man")
    return manPage(spec, table);
  if (format == "bash")
    return bashCompletion(spec, table);
  return format == "zsh" ? zshCompletion(spec, table) : fishCompletion(spec, table);
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
  return makeError(DiagId::Usage, "option '--explain': there is no message '", id, "'",
                   near ? "; did you mean '" + *near + "'?" : "; --explain=all lists them");
}

} // namespace tigris
