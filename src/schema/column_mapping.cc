#include "schema/column_mapping.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include <arrow/array.h>
#include <arrow/array/util.h>
#include <arrow/datum.h>
#include <arrow/type_traits.h>
#include <arrow/util/bitmap_ops.h>

#include "schema/cast.h"
#include "schema/names.h"

namespace shoal::schema {

using arrow::Array;
using arrow::DataType;
using arrow::Field;
using arrow::Result;
using arrow::Status;
using arrow::Type;

// One field of the read schema, and those below it.
struct ColumnMapping::Node {
  enum Action {
    kShare,     // the file's array as it is
    kRelabel,   // the same buffers: only names, metadata or nullability inside the type differ
    kCast,      // a kernel
    kStruct,    // field by field
    kList,      // the one child; lists of all kinds and maps
    kNull,      // the file lacks it
    kConstant,  // one value
  };
  Action action = kNull;
  std::shared_ptr<DataType> type;  // in the read schema
  int child = -1;  // position among the fields that are read of the parent, or of the batch
  std::vector<Node> children;
  std::shared_ptr<arrow::Scalar> constant;
  Source source;
};

namespace {

bool IsListOfAnyKind(Type::type id) {
  return id == Type::LIST || id == Type::LARGE_LIST || id == Type::LIST_VIEW ||
         id == Type::LARGE_LIST_VIEW || id == Type::FIXED_SIZE_LIST;
}

// Whether two nested types can be adapted child by child.
bool SameShape(const DataType& a, const DataType& b) {
  if (a.id() != b.id()) return false;
  if (a.id() == Type::FIXED_SIZE_LIST) {
    return static_cast<const arrow::FixedSizeListType&>(a).list_size() ==
           static_cast<const arrow::FixedSizeListType&>(b).list_size();
  }
  return a.id() == Type::STRUCT || a.id() == Type::MAP || IsListOfAnyKind(a.id());
}

}  // namespace

// Makes the nodes in two walks: the first finds the leaves to read, the second looks up what is
// read of the file.
class ColumnMapping::Builder {
 public:
  Builder(const std::string& path, CastPolicy policy) : path_(path), policy_(policy) {}

  std::vector<int> leaves;

  // The field of that name; -1 if there is none.
  Result<int> FindByName(const arrow::FieldVector& fields, const std::string& name) const {
    int found = -1;
    for (size_t i = 0; i < fields.size(); ++i) {
      if (fields[i]->name() != name) continue;
      if (found >= 0) {
        return Status::Invalid("file ", path_, " has two columns named `", name, "`", InColumn(),
                               "; rename one of them, or open it with duplicate_names = rename");
      }
      found = static_cast<int>(i);
    }
    return found;
  }

  // The leaves needed of `from`, the first of which is `first`.
  Status Collect(const std::shared_ptr<DataType>& from, const std::shared_ptr<DataType>& to,
                 int first) {
    // There is little to read, and files of text may have a value where nobody saw one: only
    // reading tells.
    if (from->id() == Type::NA) {
      leaves.push_back(first);
      return Status::OK();
    }
    if (!SameShape(*from, *to)) {
      AddAll(*from, first);
      return Status::OK();
    }
    if (from->id() == Type::STRUCT) {
      const size_t before = leaves.size();
      for (const auto& field : to->fields()) {
        ARROW_ASSIGN_OR_RAISE(int child, FindByName(from->fields(), field->name()));
        if (child < 0) continue;
        int child_first = first;
        for (int i = 0; i < child; ++i) child_first += NumLeaves(*from->field(i)->type());
        ARROW_RETURN_NOT_OK(Collect(from->field(child)->type(), field->type(), child_first));
      }
      // Which rows of the struct are null still has to be known.
      if (leaves.size() == before) AddCheapest(*from, first);
      return Status::OK();
    }
    if (from->id() == Type::MAP) {
      const auto& map = static_cast<const arrow::MapType&>(*from);
      AddAll(*map.key_type(), first);
      const size_t before = leaves.size();
      const int items = first + NumLeaves(*map.key_type());
      ARROW_RETURN_NOT_OK(
          Collect(map.item_type(), static_cast<const arrow::MapType&>(*to).item_type(), items));
      if (leaves.size() == before) AddAll(*map.item_type(), items);
      return Status::OK();
    }
    const size_t before = leaves.size();
    ARROW_RETURN_NOT_OK(Collect(from->field(0)->type(), to->field(0)->type(), first));
    if (leaves.size() == before) AddAll(*from, first);
    return Status::OK();
  }

  // `from` is what is read of the file's type; `whole` is the file's type itself, whose first leaf
  // is `first`.
  Result<Node> Build(const std::shared_ptr<DataType>& from, const std::shared_ptr<DataType>& whole,
                     int first, const std::shared_ptr<DataType>& to) {
    Node node;
    node.type = to;
    const bool one_leaf = NumLeaves(*whole) == 1 && whole->num_fields() == 0;
    if (one_leaf) node.source = {Source::kLeaf, first, whole, nullptr};
    if (from->Equals(*to, /*check_metadata=*/true)) node.action = Node::kShare;
    // Nulls are made anew, in any type.
    else if (from->id() == Type::NA)
      return BuildMissing(to);
    else if (SameShape(*from, *to))
      ARROW_RETURN_NOT_OK(BuildNested(from, whole, first, to, &node));
    else if (from->Equals(*to))
      node.action = Node::kRelabel;
    else if (MayCast(from, to, policy_))
      node.action = Node::kCast;
    else
      return Mismatch(*whole, *to);
    // A struct that is shared has fields all the same.
    if (node.action == Node::kShare && to->id() == Type::STRUCT) {
      Node described;
      ARROW_RETURN_NOT_OK(BuildNested(from, whole, first, to, &described));
      node.children = std::move(described.children);
    }
    return node;
  }

  Result<Node> BuildMissing(const std::shared_ptr<DataType>& to) {
    Node node;
    node.type = to;
    node.action = Node::kNull;
    node.source.kind = Source::kNull;
    if (to->id() == Type::STRUCT) {
      for (const auto& field : to->fields()) {
        ARROW_ASSIGN_OR_RAISE(Node child, BuildMissing(field->type()));
        node.children.push_back(std::move(child));
      }
    }
    return node;
  }

  Result<Node> BuildConstant(const std::shared_ptr<arrow::Scalar>& value,
                             const std::shared_ptr<DataType>& to) {
    Node node;
    node.type = to;
    node.action = Node::kConstant;
    node.constant = value;
    if (!value->type->Equals(*to)) {
      if (!value->is_valid) {
        node.constant = arrow::MakeNullScalar(to);
      } else {
        ARROW_ASSIGN_OR_RAISE(auto one, arrow::MakeArrayFromScalar(*value, 1));
        auto cast = CastArray(*one, to, arrow::default_memory_pool());
        if (!cast.ok()) return Named(cast.status());
        ARROW_ASSIGN_OR_RAISE(node.constant, (*cast)->GetScalar(0));
      }
    }
    node.source = {Source::kConstant, -1, nullptr, node.constant};
    return node;
  }

  void Enter(std::string column) { column_ = std::move(column); }

  Status Named(const Status& status) const {
    return status.WithMessage("file ", path_, ", column `", column_, "`: ", status.message());
  }

 private:
  Status BuildNested(const std::shared_ptr<DataType>& from, const std::shared_ptr<DataType>& whole,
                     int first, const std::shared_ptr<DataType>& to, Node* node) {
    const bool same_layout = from->Equals(*to);
    if (from->id() != Type::STRUCT) {
      // The entries of a map are a struct of two, matched by position: their names vary between
      // writers.
      Node child;
      if (from->id() == Type::MAP) {
        ARROW_ASSIGN_OR_RAISE(child, BuildEntries(*from, *whole, first, *to));
      } else {
        ARROW_ASSIGN_OR_RAISE(child, Build(from->field(0)->type(), whole->field(0)->type(), first,
                                           to->field(0)->type()));
      }
      child.child = 0;
      node->action = same_layout ? Node::kRelabel : Node::kList;
      node->children.push_back(std::move(child));
      node->source = {};
      return Status::OK();
    }
    bool identity = from->num_fields() == to->num_fields();
    for (int i = 0; i < to->num_fields(); ++i) {
      const auto& field = to->field(i);
      ARROW_ASSIGN_OR_RAISE(int in_file, FindByName(whole->fields(), field->name()));
      ARROW_ASSIGN_OR_RAISE(int read, FindByName(from->fields(), field->name()));
      Node child;
      if (in_file < 0 || read < 0) {
        ARROW_ASSIGN_OR_RAISE(child, BuildMissing(field->type()));
      } else {
        int child_first = first;
        for (int k = 0; k < in_file; ++k) child_first += NumLeaves(*whole->field(k)->type());
        ARROW_ASSIGN_OR_RAISE(child, Build(from->field(read)->type(), whole->field(in_file)->type(),
                                           child_first, field->type()));
      }
      child.child = read;
      identity &= read == i && (child.action == Node::kShare || child.action == Node::kRelabel);
      node->children.push_back(std::move(child));
    }
    node->action = identity ? Node::kRelabel : Node::kStruct;
    return Status::OK();
  }

  Result<Node> BuildEntries(const DataType& from, const DataType& whole, int first,
                            const DataType& to) {
    const auto& from_map = static_cast<const arrow::MapType&>(from);
    const auto& whole_map = static_cast<const arrow::MapType&>(whole);
    const auto& to_map = static_cast<const arrow::MapType&>(to);
    Node entries;
    entries.type = to_map.value_type();
    entries.action = Node::kStruct;
    ARROW_ASSIGN_OR_RAISE(
        Node key, Build(from_map.key_type(), whole_map.key_type(), first, to_map.key_type()));
    ARROW_ASSIGN_OR_RAISE(Node item,
                          Build(from_map.item_type(), whole_map.item_type(),
                                first + NumLeaves(*whole_map.key_type()), to_map.item_type()));
    key.child = 0;
    item.child = 1;
    entries.children.push_back(std::move(key));
    entries.children.push_back(std::move(item));
    return entries;
  }

  void AddAll(const DataType& type, int first) {
    const int count = NumLeaves(type);
    for (int i = 0; i < count; ++i) leaves.push_back(first + i);
  }

  // One leaf of a struct to learn its nulls from: a number where there is one, since it is small.
  void AddCheapest(const DataType& type, int first) {
    int offset = 0;
    for (const auto& field : type.fields()) {
      if (arrow::is_primitive(field->type()->id())) return leaves.push_back(first + offset);
      offset += NumLeaves(*field->type());
    }
    if (type.num_fields() > 0) {
      const auto& child = *type.field(0)->type();
      if (child.id() == Type::STRUCT) return AddCheapest(child, first);
      return AddAll(child, first);
    }
    leaves.push_back(first);
  }

  std::string InColumn() const { return column_.empty() ? "" : " in column `" + column_ + "`"; }

  Status Mismatch(const DataType& from, const DataType& to) const {
    if (policy_ == CastPolicy::kChecked) {
      return Status::FromArgs(
          ZonesAgree(from, to) ? arrow::StatusCode::NotImplemented : arrow::StatusCode::TypeError,
          "file ", path_, ", column `", column_, "`: Unsupported cast from ", from, " to ", to,
          ", the type that the schema declares. Declare a type that holds what "
          "the file has");
    }
    return Status::TypeError(
        "file ", path_, ", column `", column_, "` has type ", from, ", which does not fit ", to,
        " of the table. Declare a schema that gives the column a type for both");
  }

  const std::string& path_;
  const CastPolicy policy_;
  std::string column_;
};

namespace {

// Where the struct `array` is null: its bitmap, from bit 0.
Result<std::shared_ptr<arrow::Buffer>> Validity(const Array& array, arrow::MemoryPool* pool) {
  if (array.null_count() == 0) return nullptr;
  if (array.offset() == 0) return array.null_bitmap();
  return arrow::internal::CopyBitmap(pool, array.null_bitmap_data(), array.offset(),
                                     array.length());
}

}  // namespace

ColumnMapping::ColumnMapping() = default;
ColumnMapping::~ColumnMapping() = default;
ColumnMapping::ColumnMapping(ColumnMapping&&) noexcept = default;
ColumnMapping& ColumnMapping::operator=(ColumnMapping&&) noexcept = default;

Result<ColumnMapping> ColumnMapping::Make(const arrow::Schema& file_schema,
                                          const arrow::Schema& read_schema,
                                          const std::vector<Constant>& constants, std::string path,
                                          CastPolicy policy, BatchColumns batches) {
  ColumnMapping mapping;
  mapping.read_schema_ = std::make_shared<arrow::Schema>(read_schema);
  mapping.path_ = std::move(path);
  const arrow::Schema& read = read_schema;
  Builder builder(mapping.path_, policy);

  std::vector<std::shared_ptr<arrow::Scalar>> constant_of(read.num_fields());
  for (const Constant& constant : constants) {
    if (constant.field < 0 || constant.field >= read.num_fields()) {
      return Status::IndexError("a constant for column ", constant.field, " of ",
                                read.num_fields());
    }
    constant_of[constant.field] = constant.value;
  }

  std::vector<int> in_file(read.num_fields(), -1);
  for (int i = 0; i < read.num_fields(); ++i) {
    if (constant_of[i]) continue;
    builder.Enter("");
    ARROW_ASSIGN_OR_RAISE(in_file[i],
                          builder.FindByName(file_schema.fields(), read.field(i)->name()));
    if (in_file[i] < 0) continue;
    builder.Enter(read.field(i)->name());
    ARROW_RETURN_NOT_OK(builder.Collect(file_schema.field(in_file[i])->type(),
                                        read.field(i)->type(), LeafIndex(file_schema, in_file[i])));
  }
  std::vector<int>& leaves = builder.leaves;
  std::sort(leaves.begin(), leaves.end());
  leaves.erase(std::unique(leaves.begin(), leaves.end()), leaves.end());
  const bool all = batches == BatchColumns::kAll;
  const auto projected =
      all ? std::make_shared<arrow::Schema>(file_schema) : ProjectLeaves(file_schema, leaves);

  for (int i = 0; i < read.num_fields(); ++i) {
    const auto& field = read.field(i);
    builder.Enter(field->name());
    Node node;
    const int position =
        all || in_file[i] < 0 ? in_file[i] : projected->GetFieldIndex(field->name());
    if (constant_of[i]) {
      ARROW_ASSIGN_OR_RAISE(node, builder.BuildConstant(constant_of[i], field->type()));
    } else if (position < 0) {
      ARROW_ASSIGN_OR_RAISE(node, builder.BuildMissing(field->type()));
    } else {
      ARROW_ASSIGN_OR_RAISE(node, builder.Build(projected->field(position)->type(),
                                                file_schema.field(in_file[i])->type(),
                                                LeafIndex(file_schema, in_file[i]), field->type()));
    }
    node.child = position;
    mapping.columns_.push_back(std::move(node));
  }
  mapping.leaves_ = std::move(leaves);
  return mapping;
}

ColumnMapping::Source ColumnMapping::Find(const arrow::FieldPath& path) const {
  const std::vector<Node>* nodes = &columns_;
  const Node* node = nullptr;
  for (int index : path) {
    if (node != nullptr && (node->type->id() != Type::STRUCT || node->action == Node::kCast))
      return {};
    // A field of a constant struct is not looked into.
    if (index < 0 || index >= static_cast<int>(nodes->size())) return {};
    node = &(*nodes)[index];
    nodes = &node->children;
  }
  return node == nullptr ? Source() : node->source;
}

// Adapting, node by node.
namespace {

template <typename Node>
Result<std::shared_ptr<Array>> AdaptArray(const Node& node, const std::shared_ptr<Array>& array,
                                          int64_t length, arrow::MemoryPool* pool) {
  switch (node.action) {
    case Node::kShare:
      return array;
    case Node::kRelabel:
      return arrow::MakeArray(Relabel(*array->data(), node.type));
    case Node::kCast:
      return CastArray(*array, node.type, pool);
    case Node::kNull:
      return arrow::MakeArrayOfNull(node.type, length, pool);
    case Node::kConstant:
      return arrow::MakeArrayFromScalar(*node.constant, length, pool);
    case Node::kList: {
      // Offsets and nulls stay; so does the place of each item, as the child is adapted as a whole.
      auto data = array->data()->Copy();
      auto items = arrow::MakeArray(data->child_data[0]);
      ARROW_ASSIGN_OR_RAISE(items, AdaptArray(node.children[0], items, items->length(), pool));
      data->type = node.type;
      data->child_data[0] = items->data();
      return arrow::MakeArray(std::move(data));
    }
    case Node::kStruct: {
      const auto& fields = static_cast<const arrow::StructArray&>(*array);
      std::vector<std::shared_ptr<arrow::ArrayData>> children;
      for (const Node& child : node.children) {
        // field() leaves out what lies before and after this slice.
        ARROW_ASSIGN_OR_RAISE(
            auto adapted,
            AdaptArray(child, child.child < 0 ? nullptr : fields.field(child.child), length, pool));
        children.push_back(adapted->data());
      }
      ARROW_ASSIGN_OR_RAISE(auto validity, Validity(fields, pool));
      return arrow::MakeArray(arrow::ArrayData::Make(node.type, length, {std::move(validity)},
                                                     std::move(children), fields.null_count()));
    }
  }
  return Status::UnknownError("no such action");
}

}  // namespace

Result<std::shared_ptr<arrow::RecordBatch>> ColumnMapping::Adapt(const arrow::RecordBatch& batch,
                                                                 arrow::MemoryPool* pool) const {
  arrow::ArrayVector columns;
  columns.reserve(columns_.size());
  for (size_t i = 0; i < columns_.size(); ++i) {
    const Node& node = columns_[i];
    if (node.child >= batch.num_columns()) {
      return Status::Invalid("file ", path_, ": a batch of ", batch.num_columns(),
                             " columns lacks column `",
                             read_schema_->field(static_cast<int>(i))->name(), "`");
    }
    auto adapted = AdaptArray(node, node.child < 0 ? nullptr : batch.column(node.child),
                              batch.num_rows(), pool);
    if (!adapted.ok()) {
      return adapted.status().WithMessage("file ", path_, ", column `",
                                          read_schema_->field(static_cast<int>(i))->name(),
                                          "`: ", adapted.status().message());
    }
    const auto& field = *read_schema_->field(static_cast<int>(i));
    if (!field.nullable() && (*adapted)->null_count() > 0) {
      return Status::Invalid("file ", path_, ", column `", field.name(),
                             "` has nulls, but the table's schema says that it has none; declare "
                             "it nullable, or inspect all files");
    }
    columns.push_back(*std::move(adapted));
  }
  return arrow::RecordBatch::Make(read_schema_, batch.num_rows(), std::move(columns));
}

}  // namespace shoal::schema
