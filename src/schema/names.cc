#include "schema/names.h"

#include <set>
#include <utility>

#include "schema/fold.h"
#include "schema/leaves.h"

namespace shoal::schema {

using arrow::DataType;
using arrow::Field;
using arrow::FieldVector;
using arrow::Result;
using arrow::Status;
using arrow::Type;

namespace {

/// The fields of a struct; the items of a list; keys and items of a map.
FieldVector FieldsOf(const DataType& type) {
  if (type.id() != Type::MAP) return type.fields();
  const auto& map = static_cast<const arrow::MapType&>(type);
  return {map.key_field(), map.item_field()};
}

/// REQUIRES: HasFields(type).
std::shared_ptr<DataType> WithFields(const DataType& type, FieldVector fields) {
  switch (type.id()) {
    case Type::STRUCT:
      return arrow::struct_(std::move(fields));
    case Type::LIST:
      return arrow::list(std::move(fields[0]));
    case Type::LARGE_LIST:
      return arrow::large_list(std::move(fields[0]));
    case Type::LIST_VIEW:
      return arrow::list_view(std::move(fields[0]));
    case Type::LARGE_LIST_VIEW:
      return arrow::large_list_view(std::move(fields[0]));
    case Type::FIXED_SIZE_LIST:
      return arrow::fixed_size_list(std::move(fields[0]),
                                    static_cast<const arrow::FixedSizeListType&>(type).list_size());
    default: {
      const auto& map = static_cast<const arrow::MapType&>(type);
      return std::make_shared<arrow::MapType>(std::move(fields[0]), std::move(fields[1]),
                                              map.keys_sorted());
    }
  }
}

class Distinguisher {
 public:
  Distinguisher(const SchemaRules& rules, const std::string& where)
      : rules_(rules), where_(where) {}

  Result<FieldVector> Fields(FieldVector fields, const std::string& parent) {
    std::map<std::string, const std::string*> taken;  // by key, and as it is written
    std::vector<size_t> later;
    for (size_t i = 0; i < fields.size(); ++i) {
      const std::string& name = fields[i]->name();
      const auto [first, is_new] = taken.emplace(Key(name), &name);
      if (is_new) continue;
      if (rules_.duplicate_names == DuplicateNames::kRename) {
        later.push_back(i);
      } else if (*first->second != name) {
        return Status::Invalid(where_, " has the columns `", parent, *first->second, "` and `",
                               parent, name,
                               "`, which are one name with case_insensitive: rename one of them, "
                               "or open it with duplicate_names = rename or with case");
      }
    }
    std::set<std::string> keys;
    for (const auto& [key, name] : taken) keys.insert(key);
    for (const size_t i : later) {
      std::string name;
      for (int number = 1; name.empty() || !keys.insert(Key(name)).second; ++number) {
        name = fields[i]->name() + "_" + std::to_string(number);
      }
      fields[i] = fields[i]->WithName(name);
      changed_ = true;
    }
    for (auto& field : fields) {
      ARROW_ASSIGN_OR_RAISE(field, Inside(field, parent + field->name() + "."));
    }
    return fields;
  }

  bool changed() const { return changed_; }

 private:
  std::string Key(const std::string& name) const {
    return rules_.case_insensitive ? Fold(name) : name;
  }

  Result<std::shared_ptr<Field>> Inside(const std::shared_ptr<Field>& field,
                                        const std::string& parent) {
    const DataType& type = *field->type();
    if (!HasFields(type)) return field;
    const bool before = std::exchange(changed_, false);
    FieldVector fields = FieldsOf(type);
    if (type.id() == Type::STRUCT) {
      ARROW_ASSIGN_OR_RAISE(fields, Fields(std::move(fields), parent));
    } else {
      for (auto& child : fields) {
        ARROW_ASSIGN_OR_RAISE(child, Inside(child, parent));
      }
    }
    const bool here = std::exchange(changed_, before || changed_);
    return here ? field->WithType(WithFields(type, std::move(fields))) : field;
  }

  const SchemaRules& rules_;
  const std::string& where_;
  bool changed_ = false;
};

}  // namespace

Result<std::shared_ptr<arrow::Schema>> DistinctNames(const std::shared_ptr<arrow::Schema>& schema,
                                                     const SchemaRules& rules,
                                                     const std::string& where) {
  if (!rules.may_rename()) return schema;
  Distinguisher distinguisher(rules, where);
  ARROW_ASSIGN_OR_RAISE(auto fields, distinguisher.Fields(schema->fields(), ""));
  if (!distinguisher.changed()) return schema;
  return arrow::schema(std::move(fields), schema->metadata());
}

void Spelling::Learn(const arrow::Schema& schema) { Learn(schema.fields(), &columns_); }

void Spelling::Learn(const std::string& column) {
  columns_.try_emplace(Fold(column), Name{column, {}});
}

void Spelling::Learn(const FieldVector& fields, std::map<std::string, Name>* names) {
  for (const auto& field : fields) {
    const auto at = names->try_emplace(Fold(field->name()), Name{field->name(), {}}).first;
    LearnInside(*field->type(), &at->second);
  }
}

void Spelling::LearnInside(const DataType& type, Name* name) {
  if (!HasFields(type)) return;
  if (type.id() == Type::STRUCT) return Learn(type.fields(), &name->fields);
  const FieldVector fields = FieldsOf(type);
  for (size_t i = 0; i < fields.size(); ++i) {
    LearnInside(*fields[i]->type(), &name->fields[std::to_string(i)]);
  }
}

std::shared_ptr<arrow::Schema> Spelling::Respell(
    const std::shared_ptr<arrow::Schema>& schema) const {
  bool changed = false;
  auto fields = Respell(schema->fields(), columns_, &changed);
  return changed ? arrow::schema(std::move(fields), schema->metadata()) : schema;
}

const std::string& Spelling::Respell(const std::string& column) const {
  const auto known = columns_.find(Fold(column));
  return known == columns_.end() ? column : known->second.written;
}

FieldVector Spelling::Respell(const FieldVector& fields, const std::map<std::string, Name>& names,
                              bool* changed) {
  FieldVector out = fields;
  for (auto& field : out) {
    const auto known = names.find(Fold(field->name()));
    if (known == names.end()) continue;
    bool inside = false;
    auto type = RespellInside(field->type(), known->second, &inside);
    if (!inside && field->name() == known->second.written) continue;
    field = field->WithName(known->second.written)->WithType(std::move(type));
    *changed = true;
  }
  return out;
}

std::shared_ptr<DataType> Spelling::RespellInside(const std::shared_ptr<DataType>& type,
                                                  const Name& name, bool* changed) {
  if (!HasFields(*type)) return type;
  bool inside = false;
  FieldVector fields = FieldsOf(*type);
  if (type->id() == Type::STRUCT) {
    fields = Respell(fields, name.fields, &inside);
  } else {
    for (size_t i = 0; i < fields.size(); ++i) {
      const auto known = name.fields.find(std::to_string(i));
      if (known == name.fields.end()) continue;
      auto child = RespellInside(fields[i]->type(), known->second, &inside);
      fields[i] = fields[i]->WithType(std::move(child));
    }
  }
  if (!inside) return type;
  *changed = true;
  return WithFields(*type, std::move(fields));
}

std::shared_ptr<arrow::ArrayData> Relabel(const arrow::ArrayData& data,
                                          const std::shared_ptr<DataType>& type) {
  auto copy = data.Copy();
  copy->type = type;
  if (type->num_fields() == static_cast<int>(copy->child_data.size())) {
    for (int i = 0; i < type->num_fields(); ++i) {
      copy->child_data[i] = Relabel(*copy->child_data[i], type->field(i)->type());
    }
  }
  return copy;
}

std::shared_ptr<arrow::RecordBatch> Relabel(const arrow::RecordBatch& batch,
                                            const std::shared_ptr<arrow::Schema>& schema) {
  arrow::ArrayVector columns = batch.columns();
  for (int i = 0; i < batch.num_columns(); ++i) {
    // Of other types only the name of the column is a name.
    const auto& type = schema->field(i)->type();
    if (HasFields(*type)) columns[i] = arrow::MakeArray(Relabel(*columns[i]->data(), type));
  }
  return arrow::RecordBatch::Make(schema, batch.num_rows(), std::move(columns));
}

}  // namespace shoal::schema
