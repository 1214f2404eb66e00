#include "expression/resolve.h"

#include <algorithm>
#include <string>
#include <vector>

namespace shoal::expression {
namespace {

using arrow::FieldPath;
using arrow::FieldRef;
using arrow::FieldVector;
using arrow::Result;
using arrow::Status;

constexpr size_t kNamesShown = 20;

size_t EditDistance(const std::string& left, const std::string& right) {
  std::vector<size_t> row(right.size() + 1);
  for (size_t j = 0; j <= right.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= left.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= right.size(); ++j) {
      auto fold = [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
      };
      size_t changed = diagonal + (fold(left[i - 1]) == fold(right[j - 1]) ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({changed, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

Status Unknown(const std::string& name, const FieldVector& fields, const std::string& parent) {
  constexpr size_t kLongestCompared = 200;
  std::vector<std::pair<size_t, std::string>> near;
  if (name.size() <= kLongestCompared) {
    for (const auto& field : fields) {
      if (field->name().size() > kLongestCompared) continue;
      size_t distance = EditDistance(name, field->name());
      // Of a name of one letter nothing may be left.
      if (distance <= 1 + name.size() / 4 && distance < name.size())
        near.emplace_back(distance, field->name());
    }
  }
  std::stable_sort(near.begin(), near.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::string message = "There is no column `" + name + "`";
  if (!parent.empty()) message += " in `" + parent + "`";
  for (size_t i = 0; i < near.size() && i < 3; ++i) {
    message += (i == 0 ? "; did you mean `" : " or `") + near[i].second + "`";
  }
  if (fields.empty()) {
    message += "; there are no columns";
  } else {
    message += near.empty() ? "; the columns are " : "? The columns are ";
  }
  for (size_t i = 0; i < fields.size() && i < kNamesShown; ++i) {
    message += (i == 0 ? "" : ", ") + fields[i]->name();
  }
  if (fields.size() > kNamesShown)
    message += " and " + std::to_string(fields.size() - kNamesShown) + " more";
  return Status::Invalid(message);
}

// The fields found so far, outermost first.
struct Walk {
  std::vector<int> path;
  std::vector<std::string> names;
  FieldVector fields;  // among which the next name is looked up
  std::shared_ptr<arrow::Field> at;

  std::string Parent() const {
    std::string parent;
    for (const auto& name : names) parent += (parent.empty() ? "" : ".") + name;
    return parent;
  }
};

class Resolver {
 public:
  Resolver(const FieldRef& ref, const arrow::Schema& schema) : ref_(ref) {
    walk_.fields = schema.fields();
  }

  Result<ResolvedColumn> Resolve() {
    ARROW_RETURN_NOT_OK(Visit(ref_));
    if (!walk_.at) return Status::Invalid("A reference to a column is empty: name one");
    std::vector<FieldRef> refs(walk_.names.begin(), walk_.names.end());
    return ResolvedColumn{FieldPath(walk_.path),
                          refs.size() == 1 ? refs[0] : FieldRef(std::move(refs)), walk_.at->type()};
  }

 private:
  Status Visit(const FieldRef& ref) {
    if (const std::string* name = ref.name()) return Name(*name);
    if (const FieldPath* path = ref.field_path()) {
      for (int index : path->indices()) {
        ARROW_RETURN_NOT_OK(Open());
        if (index < 0 || static_cast<size_t>(index) >= walk_.fields.size()) {
          return Status::Invalid(
              "There is no column number ", index,
              walk_.fields.empty() ? "" : "; the last one is number ",
              walk_.fields.empty() ? std::string() : std::to_string(walk_.fields.size() - 1));
        }
        ARROW_RETURN_NOT_OK(Enter(index));
      }
      return Status::OK();
    }
    for (const FieldRef& part : *ref.nested_refs()) ARROW_RETURN_NOT_OK(Visit(part));
    return Status::OK();
  }

  // Makes the children of the column at hand the fields to look in.
  Status Open() {
    if (!walk_.at) return Status::OK();
    if (walk_.at->type()->id() != arrow::Type::STRUCT) {
      return Status::Invalid("`", walk_.Parent(), "` has no fields to name: it is ",
                             walk_.at->type()->ToString());
    }
    walk_.fields = walk_.at->type()->fields();
    return Status::OK();
  }

  Status Enter(int index) {
    const auto& field = walk_.fields[index];
    int same = 0;
    for (const auto& other : walk_.fields) same += other->name() == field->name();
    if (same > 1) {
      return Status::Invalid(same, " columns are named `", field->name(),
                             "`: which one is meant can't be said");
    }
    walk_.path.push_back(index);
    walk_.names.push_back(field->name());
    walk_.at = field;
    return Status::OK();
  }

  int Find(const std::string& name) const {
    for (size_t i = 0; i < walk_.fields.size(); ++i) {
      if (walk_.fields[i]->name() == name) return static_cast<int>(i);
    }
    return -1;
  }

  Status Name(const std::string& name) {
    ARROW_RETURN_NOT_OK(Open());
    int index = Find(name);
    if (index >= 0) return Enter(index);
    // The longest leading part that is a struct, then the rest in it. Where none is, the error is
    // about the longest one that is a column at all.
    size_t at = std::string::npos;
    for (size_t dot = name.rfind('.'); dot != std::string::npos && dot > 0;
         dot = name.rfind('.', dot - 1)) {
      const int found = Find(name.substr(0, dot));
      if (found < 0) continue;
      const bool is_struct = walk_.fields[found]->type()->id() == arrow::Type::STRUCT;
      if (!is_struct && at != std::string::npos) continue;
      at = dot;
      index = found;
      if (is_struct) break;
    }
    if (index < 0) return Unknown(name, walk_.fields, walk_.Parent());
    ARROW_RETURN_NOT_OK(Enter(index));
    return Name(name.substr(at + 1));
  }

  const FieldRef& ref_;
  Walk walk_;
};

}  // namespace

Result<ResolvedColumn> ResolveColumn(const FieldRef& ref, const arrow::Schema& schema) {
  return Resolver(ref, schema).Resolve();
}

}  // namespace shoal::expression
