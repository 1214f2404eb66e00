#include "prune/pruner.h"

#include <algorithm>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include <arrow/array/concatenate.h>
#include <arrow/array/util.h>
#include <arrow/compute/api.h>
#include <arrow/compute/function.h>

#include "prune/failed_container.h"
#include "prune/interval.h"
#include "prune/outcomes.h"
#include "prune/rules.h"
#include "statistics/plain.h"

namespace shoal::prune {
namespace {

using arrow::Datum;
using arrow::FieldPath;
using arrow::Result;
using arrow::compute::Expression;

// One column that a filter uses.
struct Column {
  std::string name;
  std::shared_ptr<arrow::DataType> type;
  std::shared_ptr<const ColumnKnowledge> knowledge;  // may be nullptr
  std::shared_ptr<arrow::Array> constants;           // plain; nullptr if none
  Mask is_constant;
  int64_t num_constant = 0;
  Interval interval;
};

// Evaluates predicates over n containers. Two ways, per container and subtree: where all columns of
// the subtree are constant, its rows are all alike and one row is evaluated exactly; elsewhere the
// rules apply.
class Evaluator {
 public:
  Evaluator(const arrow::Schema& schema, const Containers& containers)
      : schema_(schema), containers_(containers), n_(containers.size()) {}

  arrow::Status Init(const std::vector<Expression>& conjuncts) {
    rows_.resize(n_);
    for (int64_t i = 0; i < n_; ++i) rows_[i] = containers_.num_rows(i);
    for (const Expression& conjunct : conjuncts) {
      if (!conjunct.IsBound())
        return arrow::Status::Invalid("a filter to prune with is not bound: ", conjunct.ToString());
      ARROW_RETURN_NOT_OK(CollectColumns(conjunct).status());
    }
    return arrow::Status::OK();
  }

  Result<ConjunctResult> Conjunct(const Expression& conjunct) {
    Mask active(n_, 1);
    for (int64_t i = 0; i < n_; ++i) active[i] = rows_[i] != 0;
    limitation_.clear();
    ConjunctResult result;
    ARROW_ASSIGN_OR_RAISE(result.outcomes, Predicate(conjunct, active));
    MaskEmpty(&result.outcomes);
    if (limitation_.empty()) ARROW_RETURN_NOT_OK(ExplainNaN(conjunct, active, result.outcomes));
    result.limitation = std::move(limitation_);
    return result;
  }

  void MaskEmpty(std::vector<Outcomes>* outcomes) const {
    for (int64_t i = 0; i < n_; ++i) {
      if (rows_[i] == 0) (*outcomes)[i] = kNone;
    }
  }

 private:
  using Columns = std::vector<const Column*>;

  // ---- columns -------------------------------------------------------------------------------

  Result<const Column*> Load(const Expression::Parameter& parameter) {
    const FieldPath path(std::vector<int>(parameter.indices.begin(), parameter.indices.end()));
    auto [found, is_new] = columns_.try_emplace(path);
    Column& column = found->second;
    if (!is_new) return &column;

    for (size_t depth = 1; depth <= path.indices().size(); ++depth) {
      const FieldPath prefix(std::vector<int>(path.begin(), path.begin() + depth));
      ARROW_ASSIGN_OR_RAISE(auto field, prefix.Get(schema_));
      column.name += (depth > 1 ? "." : "") + field->name();
      column.type = field->type();
    }
    ARROW_ASSIGN_OR_RAISE(column.knowledge, containers_.Column(path));
    column.is_constant.assign(n_, 0);
    if (!column.knowledge) {
      column.interval = UnknownInterval(column.type, n_, column.name);
      return &column;
    }
    const ColumnKnowledge& knowledge = *column.knowledge;
    for (const arrow::Array* array :
         {knowledge.constant.get(), knowledge.bounds.min.get(), knowledge.bounds.max.get(),
          static_cast<arrow::Array*>(knowledge.bounds.null_count.get())}) {
      if (array != nullptr && array->length() != n_) {
        return arrow::Status::Invalid("column ", column.name, ": knowledge of ", array->length(),
                                      " containers where there are ", n_);
      }
    }
    column.interval = BoundsInterval(knowledge.bounds, column.type, rows_,
                                     path.indices().size() == 1, column.name);
    if (!knowledge.constant) return &column;

    if (static_cast<int64_t>(knowledge.is_constant.size()) != n_) {
      return arrow::Status::Invalid("column ", column.name,
                                    ": constants without a mark for each container");
    }
    for (int64_t i = 0; i < n_; ++i) column.is_constant[i] = knowledge.is_constant[i];
    column.num_constant = Count(column.is_constant);
    if (column.num_constant == 0) return &column;
    ARROW_ASSIGN_OR_RAISE(column.constants, statistics::Plain(knowledge.constant));
    Interval constant = ConstantInterval(column.constants);
    constant.column = column.name;
    column.interval = column.num_constant == n_
                          ? std::move(constant)
                          : Choose(column.is_constant, constant, column.interval);
    return &column;
  }

  // The columns below an expression, each once. Remembered: rules ask at every level.
  Result<const Columns*> CollectColumns(const Expression& expression) {
    const void* key = expression.call();
    if (key == nullptr) key = expression.parameter();
    if (key == nullptr) return &no_columns_;
    if (auto found = below_.find(key); found != below_.end()) return &found->second;
    Columns columns;
    if (const auto* parameter = expression.parameter()) {
      ARROW_ASSIGN_OR_RAISE(const Column* column, Load(*parameter));
      columns.push_back(column);
    } else {
      for (const Expression& argument : expression.call()->arguments) {
        ARROW_ASSIGN_OR_RAISE(const Columns* below, CollectColumns(argument));
        for (const Column* column : *below) {
          if (std::find(columns.begin(), columns.end(), column) == columns.end())
            columns.push_back(column);
        }
      }
    }
    return &below_.emplace(key, std::move(columns)).first->second;
  }

  // ---- exact evaluation ----------------------------------------------------------------------

  // Functions whose value in a row depends on nothing but that row's arguments.
  static bool IsRowwise(const Expression& expression) {
    const auto* call = expression.call();
    if (call == nullptr)
      return expression.literal() == nullptr || expression.literal()->is_scalar();
    if (call->function && (!call->function->is_pure() ||
                           (call->function->kind() != arrow::compute::Function::SCALAR &&
                            call->function->kind() != arrow::compute::Function::META))) {
      return false;
    }
    if (call->arguments.empty()) return false;
    return std::all_of(call->arguments.begin(), call->arguments.end(), IsRowwise);
  }

  // Those active containers in which all columns of the expression are constant.
  Result<Mask> ExactlyKnown(const Expression& expression, const Mask& active) {
    ARROW_ASSIGN_OR_RAISE(const Columns* columns, CollectColumns(expression));
    for (const Column* column : *columns) {
      if (column->num_constant == 0) return Mask();
    }
    if (!IsRowwise(expression)) return Mask();
    Mask mask = active;
    for (const Column* column : *columns) {
      if (column->num_constant == n_) continue;
      for (int64_t i = 0; i < n_; ++i) mask[i] &= column->is_constant[i];
    }
    return mask;
  }

  using Selected = std::unordered_map<const Column*, Datum>;

  // Constants are plain, so whatever meets them must be: Arrow has no kernels that compare text
  // with views of text.
  static Result<Datum> PlainDatum(const Datum& value) {
    if (statistics::PlainType(value.type())->Equals(*value.type())) return value;
    if (value.is_scalar()) {
      ARROW_ASSIGN_OR_RAISE(auto one, arrow::MakeArrayFromScalar(*value.scalar(), 1));
      ARROW_ASSIGN_OR_RAISE(one, statistics::Plain(std::move(one)));
      return one->GetScalar(0);
    }
    if (!value.is_array()) return value;
    ARROW_ASSIGN_OR_RAISE(auto plain, statistics::Plain(value.make_array()));
    return plain;
  }

  Result<Datum> EvaluateRows(const Expression& expression, const Selected& selected) {
    if (const Datum* literal = expression.literal()) return PlainDatum(*literal);
    if (const auto* parameter = expression.parameter()) {
      ARROW_ASSIGN_OR_RAISE(const Column* column, Load(*parameter));
      return selected.at(column);
    }
    const auto& call = *expression.call();
    std::vector<Datum> arguments;
    for (const Expression& argument : call.arguments) {
      ARROW_ASSIGN_OR_RAISE(Datum value, EvaluateRows(argument, selected));
      arguments.push_back(std::move(value));
    }
    // By name, not by the bound function: constants are plain, so a cast may have become one to the
    // type itself.
    ARROW_ASSIGN_OR_RAISE(Datum result, arrow::compute::CallFunction(call.function_name, arguments,
                                                                     call.options.get()));
    return PlainDatum(result);
  }

  // The value of the expression in each container of the mask, as an array with a slot for each of
  // them.
  Result<std::shared_ptr<arrow::Array>> Exactly(const Expression& expression, const Mask& mask) {
    const int64_t count = Count(mask);
    ARROW_ASSIGN_OR_RAISE(const Columns* columns, CollectColumns(expression));
    Selected selected;
    for (const Column* column : *columns) {
      if (count == n_) {
        selected[column] = column->constants;
      } else {
        ARROW_ASSIGN_OR_RAISE(auto values, Select(*column->constants, mask));
        selected[column] = std::move(values);
      }
    }
    auto result = EvaluateRows(expression, selected);
    if (!result.ok()) return Locate(result.status(), expression, mask, selected);
    if (result->is_scalar()) return arrow::MakeArrayFromScalar(*result->scalar(), count);
    if (result->is_chunked_array()) return arrow::Concatenate(result->chunked_array()->chunks());
    return result->make_array();
  }

  // The same error with the container that raises it, so that the caller can name the path.
  arrow::Status Locate(const arrow::Status& error, const Expression& expression, const Mask& mask,
                       const Selected& selected) {
    int64_t row = 0;
    for (int64_t i = 0; i < n_; ++i) {
      if (!mask[i]) continue;
      Selected one;
      for (const auto& [column, values] : selected)
        one[column] = values.make_array()->Slice(row, 1);
      auto result = EvaluateRows(expression, one);
      if (!result.ok()) return FailedContainer::Attach(result.status(), i);
      ++row;
    }
    return error;
  }

  // ---- rules ---------------------------------------------------------------------------------

  void Explain(std::string limitation) {
    if (limitation_.empty()) limitation_ = std::move(limitation);
  }

  std::string ExplainFunction(const Expression::Call& call) const {
    return "function `" + call.function_name + "` has no pruning rule";
  }

  // Unless comparing could tell anything.
  void ExplainBounds(const Interval& interval) {
    if (!interval.column.empty() && !interval.has_bounds() && IsOrdered(*interval.type)) {
      for (int64_t i = 0; i < n_; ++i) {
        if (rows_[i] != 0 && interval.may_be(i, kOrdinary)) {
          return Explain("no statistics for column " + interval.column);
        }
      }
    } else if (!IsOrdered(*interval.type) && !interval.column.empty()) {
      Explain("column " + interval.column + ": type " + interval.type->ToString() +
              " has no bounds");
    }
  }

  Result<std::vector<Outcomes>> Predicate(const Expression& expression, const Mask& active) {
    ARROW_ASSIGN_OR_RAISE(Mask exact, ExactlyKnown(expression, active));
    const int64_t num_exact = Count(exact);
    if (num_exact == 0) return PredicateByRules(expression, active);

    ARROW_ASSIGN_OR_RAISE(auto values, Exactly(expression, exact));
    std::vector<Outcomes> outcomes(n_, kAny);
    if (num_exact < Count(active)) {
      Mask rest = active;
      for (int64_t i = 0; i < n_; ++i) rest[i] &= !exact[i];
      ARROW_ASSIGN_OR_RAISE(outcomes, PredicateByRules(expression, rest));
    }
    const bool boolean = values->type_id() == arrow::Type::BOOL;
    if (!boolean && values->type_id() != arrow::Type::NA) {
      return arrow::Status::TypeError("a filter gives ", *values->type(),
                                      ", not boolean: ", expression.ToString());
    }
    int64_t row = 0;
    for (int64_t i = 0; i < n_; ++i) {
      if (!exact[i]) continue;
      outcomes[i] = !boolean || values->IsNull(row)                               ? kNull
                    : static_cast<const arrow::BooleanArray&>(*values).Value(row) ? kTrue
                                                                                  : kFalse;
      ++row;
    }
    return outcomes;
  }

  Result<std::vector<Outcomes>> PredicateByRules(const Expression& expression, const Mask& active) {
    const auto* call = expression.call();
    if (call == nullptr) {
      ARROW_ASSIGN_OR_RAISE(Interval values, ValueByRules(expression, active));
      if (values.type->id() != arrow::Type::BOOL) return std::vector<Outcomes>(n_, kAny);
      ExplainBounds(values);
      return ToOutcomes(values);
    }
    const std::string& name = call->function_name;
    const auto& arguments = call->arguments;
    if (arguments.size() == 1) {
      if (const UnaryTable* table = FindUnaryTable(name)) {
        ARROW_ASSIGN_OR_RAISE(auto outcomes, Predicate(arguments[0], active));
        Apply(*table, &outcomes);
        return outcomes;
      }
      return PredicateOfOne(*call, active);
    }
    if (arguments.size() == 2) {
      if (const BinaryTable* table = FindBinaryTable(name)) {
        ARROW_ASSIGN_OR_RAISE(auto left, Predicate(arguments[0], active));
        ARROW_ASSIGN_OR_RAISE(auto right, Predicate(arguments[1], active));
        Apply(*table, &left, right);
        return left;
      }
      if (auto comparison = FindComparison(name)) {
        ARROW_ASSIGN_OR_RAISE(Interval left, Value(arguments[0], active));
        ARROW_ASSIGN_OR_RAISE(Interval right, Value(arguments[1], active));
        ExplainBounds(left);
        ExplainBounds(right);
        return Compare(*comparison, left, right);
      }
    }
    Explain(ExplainFunction(*call));
    return std::vector<Outcomes>(n_, kAny);
  }

  // Predicates over one value.
  Result<std::vector<Outcomes>> PredicateOfOne(const Expression::Call& call, const Mask& active) {
    const std::string& name = call.function_name;
    const Expression& argument = call.arguments[0];
    if (name == "is_null" || name == "is_valid" || name == "is_nan" || name == "true_unless_null") {
      ARROW_ASSIGN_OR_RAISE(Interval values, Value(argument, active));
      if (name == "is_null" || name == "is_valid") ExplainNullCount(values);
      if (name == "is_valid") return IsValid(values);
      if (name == "is_nan") return IsNaN(values);
      if (name == "true_unless_null") return TrueUnlessNull(values);
      const auto* options = static_cast<const arrow::compute::NullOptions*>(call.options.get());
      return IsNull(values, options != nullptr && options->nan_is_null);
    }
    if (name == "is_in" && call.options) {
      ARROW_ASSIGN_OR_RAISE(Interval values, Value(argument, active));
      ExplainBounds(values);
      return IsIn(values, static_cast<const arrow::compute::SetLookupOptions&>(*call.options));
    }
    if ((name == "starts_with" || name == "match_like") && call.options) {
      const auto& options =
          static_cast<const arrow::compute::MatchSubstringOptions&>(*call.options);
      if (options.ignore_case) {
        Explain("function `" + name + "` that ignores case has no pruning rule");
        return std::vector<Outcomes>(n_, kAny);
      }
      ARROW_ASSIGN_OR_RAISE(Interval strings, Value(argument, active));
      ExplainBounds(strings);
      if (name == "starts_with") return StartsWith(strings, options.pattern);
      if (auto outcomes = MatchLike(strings, options.pattern)) return *std::move(outcomes);
      Explain("the pattern '" + options.pattern + "' begins with no literal text");
      return std::vector<Outcomes>(n_, kAny);
    }
    if (name == "cast" && call.type.type->id() == arrow::Type::BOOL) {
      const Expression::Call* cast = &call;
      ARROW_ASSIGN_OR_RAISE(Interval values, CastValue(*cast, active));
      return ToOutcomes(values);
    }
    Explain(ExplainFunction(call));
    return std::vector<Outcomes>(n_, kAny);
  }

  void ExplainNullCount(const Interval& values) {
    if (values.column.empty()) return;
    for (int64_t i = 0; i < n_; ++i) {
      const Kinds kinds = values.kinds[i];
      if (rows_[i] != 0 && ((kinds & kNullValue) == 0 || kinds == kNullValue)) return;
    }
    const Column* column = nullptr;
    for (const auto& [path, candidate] : columns_) {
      if (candidate.name == values.column) column = &candidate;
    }
    // Counts may be known and simply not decide: that is no limitation.
    if (column != nullptr && column->knowledge && column->knowledge->bounds.null_count &&
        column->knowledge->bounds.null_count->null_count() < n_ &&
        IsOrdered(*column->interval.type)) {
      return;
    }
    Explain("no null counts for column " + values.column);
  }

  Result<Interval> Value(const Expression& expression, const Mask& active) {
    if (expression.literal() || expression.parameter()) return ValueByRules(expression, active);
    ARROW_ASSIGN_OR_RAISE(Mask exact, ExactlyKnown(expression, active));
    const int64_t num_exact = Count(exact);
    if (num_exact == 0) return ValueByRules(expression, active);
    ARROW_ASSIGN_OR_RAISE(auto values, Exactly(expression, exact));
    if (num_exact < n_) {
      ARROW_ASSIGN_OR_RAISE(values, statistics::Plain(std::move(values)));
      ARROW_ASSIGN_OR_RAISE(values, Spread(*values, exact));
    }
    Interval constant = ConstantInterval(values);
    if (num_exact == Count(active)) return constant;
    Mask rest = active;
    for (int64_t i = 0; i < n_; ++i) rest[i] &= !exact[i];
    ARROW_ASSIGN_OR_RAISE(Interval other, ValueByRules(expression, rest));
    return Choose(exact, constant, other);
  }

  Result<Interval> ValueByRules(const Expression& expression, const Mask& active) {
    if (const Datum* literal = expression.literal()) {
      if (literal->is_scalar()) return ScalarInterval(literal->scalar(), n_);
      return UnknownInterval(literal->type(), n_);
    }
    if (const auto* parameter = expression.parameter()) {
      ARROW_ASSIGN_OR_RAISE(const Column* column, Load(*parameter));
      if (!assume_no_nan_) return column->interval;
      Interval interval = column->interval;
      for (Kinds& kinds : interval.kinds) kinds &= ~kNaN;
      return interval;
    }
    const auto& call = *expression.call();
    if (call.function_name == "cast" && call.arguments.size() == 1) return CastValue(call, active);
    const auto type = call.type.GetSharedPtr();
    if (type->id() == arrow::Type::BOOL) {
      ARROW_ASSIGN_OR_RAISE(auto outcomes, PredicateByRules(expression, active));
      return FromOutcomes(outcomes);
    }
    Explain(ExplainFunction(call));
    return UnknownInterval(type, n_);
  }

  Result<Interval> CastValue(const Expression::Call& call, const Mask& active) {
    ARROW_ASSIGN_OR_RAISE(Interval values, Value(call.arguments[0], active));
    const auto* options = static_cast<const arrow::compute::CastOptions*>(call.options.get());
    if (options != nullptr) {
      if (auto cast = Cast(values, *options)) {
        if (values.has_bounds() && !cast->has_bounds()) {
          Explain("the bounds of column " + values.column + " do not fit " +
                  cast->type->ToString());
        }
        return *std::move(cast);
      }
    }
    Explain("a cast from " + values.type->ToString() + " to " + call.type.type->ToString() +
            " need not keep the order" +
            (values.column.empty() ? "" : " of column " + values.column));
    return UnknownInterval(call.type.GetSharedPtr(), n_, "");
  }

  // Where a conjunct ruled out nothing although its rules apply, NaN may be the reason: it is if
  // the conjunct would rule out something in a world without NaN.
  arrow::Status ExplainNaN(const Expression& conjunct, const Mask& active,
                           const std::vector<Outcomes>& outcomes) {
    ARROW_ASSIGN_OR_RAISE(const Columns* columns, CollectColumns(conjunct));
    const Column* floating = nullptr;
    for (const Column* column : *columns) {
      if (arrow::is_floating(column->interval.type->id()) && column->num_constant < n_)
        floating = column;
    }
    if (floating == nullptr) return arrow::Status::OK();
    for (int64_t i = 0; i < n_; ++i) {
      if (rows_[i] != 0 && !(outcomes[i] & kTrue)) return arrow::Status::OK();
    }
    assume_no_nan_ = true;
    auto without = Predicate(conjunct, active);
    assume_no_nan_ = false;
    limitation_.clear();
    ARROW_RETURN_NOT_OK(without.status());
    for (int64_t i = 0; i < n_; ++i) {
      if (rows_[i] != 0 && !((*without)[i] & kTrue)) {
        limitation_ = "float column " + floating->name + ": rows may hold NaN";
        break;
      }
    }
    return arrow::Status::OK();
  }

  const arrow::Schema& schema_;
  const Containers& containers_;
  const int64_t n_;
  std::vector<int64_t> rows_;
  std::unordered_map<FieldPath, Column, FieldPath::Hash> columns_;
  std::unordered_map<const void*, Columns> below_;
  const Columns no_columns_;
  std::string limitation_;
  bool assume_no_nan_ = false;
};

}  // namespace

Result<PruneResult> Prune(const std::vector<Expression>& conjuncts, const arrow::Schema& schema,
                          const Containers& containers) {
  const int64_t n = containers.size();
  PruneResult result;
  result.outcomes.assign(n, kTrue);
  result.pruned_by.assign(n, -1);
  Evaluator evaluator(schema, containers);
  ARROW_RETURN_NOT_OK(evaluator.Init(conjuncts));
  for (size_t c = 0; c < conjuncts.size(); ++c) {
    auto conjunct = evaluator.Conjunct(conjuncts[c]);
    if (!conjunct.ok()) return FailedContainer::AttachConjunct(conjunct.status(), c);
    for (int64_t i = 0; i < n; ++i) {
      result.outcomes[i] = And(result.outcomes[i], conjunct->outcomes[i]);
      if (result.pruned_by[i] < 0 && !(conjunct->outcomes[i] & kTrue))
        result.pruned_by[i] = static_cast<int>(c);
    }
    result.conjuncts.push_back(*std::move(conjunct));
  }
  return result;
}

}  // namespace shoal::prune
