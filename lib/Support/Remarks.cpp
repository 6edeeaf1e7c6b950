// Stores remarks in a collector per thread, found through a thread-local pointer.
#include "tigris/Support/Remarks.h"

#include "tigris/Support/Check.h"
#include "tigris/Support/Json.h"

#include <algorithm>
#include <utility>

namespace tigris {

namespace {

thread_local RemarkCollector* currentCollector = nullptr;

} // namespace

RemarkCollector::RemarkCollector(const std::string& pattern) : pattern_(pattern) {
  TIGRIS_CHECK(currentCollector == nullptr);
  currentCollector = this;
}

RemarkCollector::~RemarkCollector() { currentCollector = nullptr; }

RemarkCollector* RemarkCollector::current() { return currentCollector; }

void RemarkCollector::add(std::string_view name, std::string_view op, std::string_view kind,
                          std::string reason) {
  if (!std::regex_match(origin_, pattern_) &&
      !std::regex_match(strCat(origin_, ":", name), pattern_))
    return;
  Remark remark = {origin_, std::string(name), std::string(op), std::string(kind),
                   std::move(reason)};
  if (std::find(remarks_.begin(), remarks_.end(), remark) == remarks_.end())
    remarks_.push_back(std::move(remark));
}

RemarkOrigin::RemarkOrigin(std::string_view origin) {
  if (currentCollector == nullptr)
    return;
  outer_ = std::exchange(currentCollector->origin_, std::string(origin));
  std::vector<Remark>& remarks = currentCollector->remarks_;
  remarks.erase(std::remove_if(remarks.begin(), remarks.end(),
                               [&](const Remark& remark) { return remark.origin == origin; }),
                remarks.end());
}

RemarkOrigin::~RemarkOrigin() {
  if (currentCollector != nullptr)
    currentCollector->origin_ = outer_;
}

std::string remarksText(const std::vector<Remark>& remarks) {
  std::string text;
  for (const Remark& remark : remarks)
    text += strCat("remark: ", remark.origin, ": ", remark.name, ": op '", remark.op, "' (",
                   remark.kind, "): ", remark.reason, "\n");
  return text;
}

std::string remarksJson(const std::vector<Remark>& remarks) {
  JsonWriter json;
  json.beginObject().key("remarks").beginArray();
  for (const Remark& remark : remarks)
    json.beginObject()
        .field("origin", remark.origin)
        .field("name", remark.name)
        .field("op", remark.op)
        .field("kind", remark.kind)
        .field("reason", remark.reason)
        .endObject();
  json.endArray().endObject();
  return json.text();
}

} // namespace tigris
