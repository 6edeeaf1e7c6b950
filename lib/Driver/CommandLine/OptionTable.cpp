// Declares options and converts their text to values. Errors name the option.
#include "tigris/Driver/CommandLine/ToolMain.h"

#include <algorithm>
#include <cmath>

namespace tigris {

namespace {

Error badValue(const std::string& spelling, const std::string& value, const std::string& rule) {
  return makeError(DiagId::Usage, "option '", spelling, "': '", value, "' ", rule);
}

} // namespace

OptionTable::Entry&
OptionTable::add(const char* name, const char* metavar, const char* help,
                 std::function<Status(const std::string&, const std::string&)> take) {
  Entry entry;
  entry.longName = name;
  if (const size_t comma = entry.longName.find(','); comma != std::string::npos) {
    TIGRIS_CHECK(comma + 2 == entry.longName.size());
    entry.shortName = entry.longName.back();
    entry.longName.resize(comma);
  }
  TIGRIS_CHECK_MSG(find(entry.longName) == nullptr, entry.longName);
  entry.metavar = metavar;
  entry.help = help;
  entry.take = std::move(take);
  entries_.push_back(std::move(entry));
  return entries_.back();
}

const OptionTable::Entry* OptionTable::find(const std::string& longName) const {
  const auto found = std::find_if(entries_.begin(), entries_.end(),
                                  [&](const Entry& entry) { return entry.longName == longName; });
  return found == entries_.end() ? nullptr : &*found;
}

OptionTable::Entry& OptionTable::flag(const char* name, bool& target, const char* help) {
  return add(name, "", help, [&target](const std::string&, const std::string&) -> Status {
    target = true;
    return {};
  });
}

OptionTable::Entry& OptionTable::text(const char* name, std::string& target, const char* metavar,
                                      const char* help) {
  return add(name, metavar, help,
             [&target](const std::string& value, const std::string&) -> Status {
               target = value;
               return {};
             });
}

OptionTable::Entry& OptionTable::text(const char* name, std::optional<std::string>& target,
                                      const char* metavar, const char* help) {
  return add(name, metavar, help,
             [&target](const std::string& value, const std::string&) -> Status {
               target = value;
               return {};
             });
}

OptionTable::Entry& OptionTable::texts(const char* name, std::vector<std::string>& target,
                                       const char* metavar, const char* help) {
  Entry& entry =
      add(name, metavar, help, [&target](const std::string& value, const std::string&) -> Status {
        target.push_back(value);
        return {};
      });
  entry.repeats = true;
  return entry;
}

OptionTable::Entry& OptionTable::optionalText(const char* name, std::optional<std::string>& target,
                                              const char* implied, const char* metavar,
                                              const char* help) {
  Entry& entry = text(name, target, metavar, help);
  entry.implied = implied;
  return entry;
}

OptionTable::Entry& OptionTable::choice(const char* name, std::string& target,
                                        std::vector<std::string> words, const char* help) {
  const std::string metavar = join(words, "|");
  return add(name, metavar.c_str(), help,
             [&target, words = std::move(words)](const std::string& value,
                                                 const std::string& spelling) -> Status {
               if (std::find(words.begin(), words.end(), value) == words.end())
                 return badValue(spelling, value, "is not one of " + join(words, ", "));
               target = value;
               return {};
             });
}

OptionTable::Entry& OptionTable::size(const char* name, std::optional<uint64_t>& target,
                                      const char* metavar, const char* help) {
  return add(name, metavar, help,
             [&target](const std::string& value, const std::string& spelling) -> Status {
               const std::optional<uint64_t> bytes = parseSize(value);
               if (!bytes)
                 return badValue(spelling, value, "is not a size; examples: 64K, 1.5M, 4096");
               target = *bytes;
               return {};
             });
}

OptionTable::Entry& OptionTable::sizes(const char* name, std::vector<uint64_t>& target,
                                       const char* metavar, const char* help) {
  Entry& entry =
      add(name, metavar, help,
          [&target](const std::string& value, const std::string& spelling) -> Status {
            const std::optional<uint64_t> bytes = parseSize(value);
            if (!bytes)
              return badValue(spelling, value, "is not a size; examples: 64K, 1.5M, 4096");
            target.push_back(*bytes);
            return {};
          });
  entry.repeats = true;
  return entry;
}

OptionTable::Entry& OptionTable::integer(const char* name, int64_t& target, const char* metavar,
                                         const char* help, int64_t minimum, int64_t maximum) {
  return add(
      name, metavar, help,
      [&target, minimum, maximum](const std::string& value, const std::string& spelling) -> Status {
        const std::optional<int64_t> number = parseInt(value);
        if (!number)
          return badValue(spelling, value, "is not an integer");
        if (*number < minimum)
          return badValue(spelling, value, strCat("is less than ", minimum));
        if (*number > maximum)
          return badValue(spelling, value, strCat("is more than ", maximum));
        target = *number;
        return {};
      });
}

OptionTable::Entry& OptionTable::real(const char* name, std::optional<double>& target,
                                      const char* metavar, const char* help) {
  return add(name, metavar, help,
             [&target](const std::string& value, const std::string& spelling) -> Status {
               const std::optional<double> number = parseDouble(value);
               if (!number || !std::isfinite(*number) || *number < 0)
                 return badValue(spelling, value, "is not a number of 0 or more");
               target = *number;
               return {};
             });
}

} // namespace tigris
