// The names that a table has for the columns of its files, where they are not those of the files.
//
// Renaming is a step that a file's schema takes before anything else sees it (OpenOptions::
// duplicate_names, case_insensitive). The schema keeps its shape: the same columns, fields and
// leaves in the same places, under other names. So what follows (merging, mapping, pruning) matches
// names exactly and knows nothing of these options.
#pragma once

#include <map>
#include <memory>
#include <string>

#include <arrow/record_batch.h>
#include <arrow/result.h>
#include <arrow/type.h>

#include <shoal/schema_rules.h>

namespace shoal::schema {

/// The schema with names that differ from each other, at every level, by the rules. Returns
/// `schema` itself where nothing is renamed. Invalid, naming `where` ("file PATH") and both names:
/// two differ in case alone, and the rules neither tell them apart nor rename them. (Names that are
/// equal and not to be renamed are left to whoever needs one of them.)
arrow::Result<std::shared_ptr<arrow::Schema>> DistinctNames(
    const std::shared_ptr<arrow::Schema>& schema, const SchemaRules& rules,
    const std::string& where);

/// One way to write each name, whatever its case: that in which it was first learned.
class Spelling {
 public:
  void Learn(const arrow::Schema& schema);
  void Learn(const std::string& column);

  /// The schema with names as they are written here; those that are not known stay. Returns
  /// `schema` itself where nothing is renamed. REQUIRES: DistinctNames.
  std::shared_ptr<arrow::Schema> Respell(const std::shared_ptr<arrow::Schema>& schema) const;
  const std::string& Respell(const std::string& column) const;

 private:
  /// A column or field, and the fields inside it. Children of lists and maps, which writers name as
  /// they like, go by their places.
  struct Name {
    std::string written;
    std::map<std::string, Name> fields;  // by folded name
  };
  static void Learn(const arrow::FieldVector& fields, std::map<std::string, Name>* names);
  static void LearnInside(const arrow::DataType& type, Name* name);
  static arrow::FieldVector Respell(const arrow::FieldVector& fields,
                                    const std::map<std::string, Name>& names, bool* changed);
  static std::shared_ptr<arrow::DataType> RespellInside(
      const std::shared_ptr<arrow::DataType>& type, const Name& name, bool* changed);

  std::map<std::string, Name> columns_;
};

/// The array's data as that type, which differs in names, metadata and nullability inside only.
std::shared_ptr<arrow::ArrayData> Relabel(const arrow::ArrayData& data,
                                          const std::shared_ptr<arrow::DataType>& type);
/// The batch under those names.
std::shared_ptr<arrow::RecordBatch> Relabel(const arrow::RecordBatch& batch,
                                            const std::shared_ptr<arrow::Schema>& schema);

}  // namespace shoal::schema
