// Generates a completion script for each shell from the table that parses the options.
#include "tigris/Driver/CommandLine/Completions.h"

#include <algorithm>
#include <cctype>

namespace tigris {

namespace {

using Entry = OptionTable::Entry;

/// The name of a script's function: "_tigris_dump" for tigris-dump, "_tigris__dump" for tigris
/// dump.
std::string functionName(const ToolSpec& spec) {
  std::string name = "_";
  for (const char c : spec.name)
    name += c == ' ' ? std::string("__") : std::string(1, c == '-' ? '_' : c);
  return name;
}

bool isCommand(const ToolSpec& spec) { return spec.name.find(' ') != std::string::npos; }

std::vector<std::string> commandNames(const ToolSpec& spec) {
  std::vector<std::string> names;
  for (const ToolCommand& command : spec.commands)
    names.push_back(command.name);
  return names;
}

// --- the kind of a value, by its placeholder

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

std::string bashCompletion(const ToolSpec& spec, const OptionTable& table) {
  const std::string function = functionName(spec);
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
  // The words after a command are completed by the command's own function.
  std::string dispatch;
  const std::vector<std::string> names = commandNames(spec);
  if (!names.empty())
    dispatch = strCat("  if [ $COMP_CWORD -gt 1 ]; then\n"
                      "    case ${COMP_WORDS[1]} in\n      ",
                      join(names, "|"), ") ", function,
                      "__${COMP_WORDS[1]}; return ;;\n      help) COMPREPLY=($(compgen -W '",
                      join(names, " "),
                      "' -- \"$cur\")); return ;;\n"
                      "    esac\n"
                      "  fi\n");
  // Bash splits words at "=" if COMP_WORDBREAKS contains it, as it does by default.
  return strCat(
      function, "() {\n",
      "  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}\n"
      "  if [ \"$cur\" = = ]; then\n"
      "    cur=\n"
      "  elif [ \"$prev\" = = ]; then\n"
      "    prev=${COMP_WORDS[COMP_CWORD-2]}\n"
      "  fi\n",
      dispatch, "  case $prev in\n", cases,
      "    *)\n"
      "      if [[ $cur == -* ]]; then\n"
      "        COMPREPLY=($(compgen -W '",
      join(all, " "),
      "' -- \"$cur\"))\n"
      "        [[ ${COMPREPLY[0]-} != *= ]] || compopt -o nospace\n"
      "      else\n"
      "        COMPREPLY=($(compgen ",
      names.empty() ? "-f" : strCat("-W '", join(names, " "), " help'"),
      " -- \"$cur\"))\n"
      "      fi ;;\n"
      "  esac\n"
      "}\n",
      isCommand(spec) ? "" : strCat("complete -o filenames -F ", function, " ", spec.name, "\n"));
}

/// The text in single quotes, as a shell reads it.
std::string shellQuoted(std::string_view text) {
  std::string result;
  for (const char c : text)
    result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result;
}

std::string zshCompletion(const ToolSpec& spec, const OptionTable& table,
                          const std::string& commands) {
  const auto escape = [](std::string_view text) {
    std::string result;
    for (const char c : text) {
      if (c == '[' || c == ']' || c == ':' || c == '\\')
        result += '\\';
      result += c;
    }
    return shellQuoted(result);
  };
  std::string text = isCommand(spec) ? functionName(spec) + "() {\n"
                                     : strCat("#compdef ", spec.name, "\n", commands);
  if (!spec.commands.empty())
    text += "local context curcontext=\"$curcontext\" state line\n_arguments -C -s -S";
  else
    text += "_arguments -s -S";
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
  const std::vector<std::string> names = commandNames(spec);
  if (!names.empty()) {
    text += strCat(" \\\n  '1:", escape(spec.input), ":(", join(names, " "),
                   " help)' \\\n  '*:: :->arguments'\n",
                   "[[ $state = arguments ]] || return\n"
                   "case $words[1] in\n");
    for (const std::string& name : names)
      text += strCat("  ", name, ") ", functionName(spec), "__", name, " ;;\n");
    text +=
        strCat("  help) _arguments '1:", escape(spec.input), ":(", join(names, " "), ")' ;;\nesac");
  } else if (!spec.input.empty()) {
    text += strCat(" \\\n  '", spec.inputRequired ? "1:" : "::", escape(spec.input), ":_files'");
  }
  return text + (isCommand(spec) ? "\n}\n" : "\n");
}

std::string fishCompletion(const ToolSpec& spec, const OptionTable& table) {
  const auto escape = [](std::string_view raw) {
    std::string result;
    for (const char c : raw)
      result += c == '\'' || c == '\\' ? std::string("\\") + c : std::string(1, c);
    return result;
  };
  // For "tigris run": options of tigris after the word run.
  std::string start = "complete -c " + spec.name;
  if (const size_t space = spec.name.find(' '); space != std::string::npos)
    start = strCat("complete -c ", spec.name.substr(0, space), " -n '__fish_seen_subcommand_from ",
                   spec.name.substr(space + 1), "'");
  std::string text;
  if (!spec.commands.empty()) {
    start += " -n __fish_use_subcommand";
    for (const ToolCommand& command : spec.commands)
      text += strCat(start, " -f -a ", command.name, " -d '", escape(command.summary), "'\n");
    text += strCat(start, " -f -a help -d 'print the help of a command'\n");
  }
  for (const Entry& entry : table.entries()) {
    text += strCat(start, " -l ", entry.longName);
    if (entry.shortName != 0)
      text += strCat(" -s ", entry.shortName);
    const std::string list = join(words(entry), " ");
    if (!entry.metavar.empty() && !entry.implied)
      text += isFile(entry) ? " -r -F" : " -x";
    if (!list.empty())
      text += strCat(" -a '", list, "'");
    text += strCat(" -d '", escape(entry.help), "'\n");
  }
  return text;
}

} // namespace

std::string completionScript(const ToolSpec& spec, const OptionTable& table,
                             const std::string& shell, const std::vector<std::string>& commands) {
  const std::string parts = join(commands, "");
  if (shell == "bash")
    return parts + bashCompletion(spec, table);
  return shell == "zsh" ? zshCompletion(spec, table, parts) : fishCompletion(spec, table) + parts;
}

} // namespace tigris
