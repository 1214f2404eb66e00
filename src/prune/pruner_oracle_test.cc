// The pruner against the truth: random rows in random containers, random predicates, and Arrow
// compute over the rows.
#include <cmath>
#include <limits>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <arrow/builder.h>
#include <arrow/compute/api.h>
#include <arrow/compute/initialize.h>
#include <arrow/record_batch.h>
#include <arrow/util/decimal.h>
#include <gtest/gtest.h>

#include "prune/containers.h"
#include "prune/failed_container.h"
#include "prune/pruner.h"

namespace shoal::prune {
namespace {

using arrow::compute::call;
using arrow::compute::Expression;
using arrow::compute::field_ref;
using arrow::compute::literal;

const bool kInitialized = arrow::compute::Initialize().ok();

class Random {
 public:
  explicit Random(uint64_t seed) : engine_(seed) {}
  int64_t Below(int64_t n) { return static_cast<int64_t>(engine_() % static_cast<uint64_t>(n)); }
  bool Chance(double p) { return std::uniform_real_distribution<>(0, 1)(engine_) < p; }
  template <typename T>
  const T& Pick(const std::vector<T>& from) {
    return from[Below(static_cast<int64_t>(from.size()))];
  }

 private:
  std::mt19937_64 engine_;
};

using Scalar = std::shared_ptr<arrow::Scalar>;

const std::vector<std::shared_ptr<arrow::DataType>>& Types() {
  static const std::vector<std::shared_ptr<arrow::DataType>> types = {
      arrow::int8(),
      arrow::int32(),
      arrow::int64(),
      arrow::uint16(),
      arrow::float32(),
      arrow::float64(),
      arrow::utf8(),
      arrow::large_utf8(),
      arrow::binary(),
      arrow::boolean(),
      arrow::decimal128(9, 2),
      arrow::date32(),
      arrow::timestamp(arrow::TimeUnit::MICRO),
      arrow::timestamp(arrow::TimeUnit::SECOND, "UTC"),
      arrow::time32(arrow::TimeUnit::SECOND),
      arrow::duration(arrow::TimeUnit::MILLI),
      arrow::fixed_size_binary(2),
  };
  return types;
}

// A value out of few, so that bounds meet literals often. `shift` moves a container's values.
Scalar RandomValue(const std::shared_ptr<arrow::DataType>& type, Random& random,
                   int64_t shift = 0) {
  const int64_t small = random.Below(6) + shift;
  switch (type->id()) {
    case arrow::Type::STRING:
    case arrow::Type::LARGE_STRING:
    case arrow::Type::BINARY: {
      static const std::vector<std::string> texts = {"",   "a", "ab", "abc", "abd", "b",
                                                     "ba", "Z", "é",  "zz",  "10",  "9"};
      return arrow::MakeScalar(type,
                               arrow::Buffer::FromString(texts[(random.Below(4) + shift) % 12]))
          .ValueOrDie();
    }
    case arrow::Type::FIXED_SIZE_BINARY: {
      static const std::vector<std::string> texts = {"aa", "ab", "ac", "ba", "bb", "zz"};
      return arrow::MakeScalar(type, arrow::Buffer::FromString(texts[small % 6])).ValueOrDie();
    }
    case arrow::Type::BOOL:
      return std::make_shared<arrow::BooleanScalar>(random.Chance(0.5));
    case arrow::Type::FLOAT:
    case arrow::Type::DOUBLE: {
      double value = static_cast<double>(small) / 2;
      switch (random.Below(14)) {
        case 0:
          value = std::numeric_limits<double>::quiet_NaN();
          break;
        case 1:
          value = -0.0;
          break;
        case 2:
          value = 0.0;
          break;
        case 3:
          value = random.Chance(0.5) ? INFINITY : -INFINITY;
          break;
        default:
          break;
      }
      return arrow::MakeScalar(value)->CastTo(type).ValueOrDie();
    }
    case arrow::Type::DECIMAL128:
      return std::make_shared<arrow::Decimal128Scalar>(arrow::Decimal128(small * 50), type);
    case arrow::Type::DATE32:
      return std::make_shared<arrow::Date32Scalar>(static_cast<int32_t>(small - 3));
    case arrow::Type::TIMESTAMP:
      return std::make_shared<arrow::TimestampScalar>((small - 3) * 43200 + random.Below(2), type);
    case arrow::Type::TIME32:
      return std::make_shared<arrow::Time32Scalar>(static_cast<int32_t>(small), type);
    case arrow::Type::DURATION:
      return std::make_shared<arrow::DurationScalar>(small - 3, type);
    case arrow::Type::UINT16:
      return std::make_shared<arrow::UInt16Scalar>(static_cast<uint16_t>(small));
    default:
      return arrow::MakeScalar(small - 3)->CastTo(type).ValueOrDie();
  }
}

std::shared_ptr<arrow::Array> ArrayOf(const std::shared_ptr<arrow::DataType>& type,
                                      const std::vector<Scalar>& values) {
  auto builder = arrow::MakeBuilder(type).ValueOrDie();
  for (const Scalar& value : values) {
    EXPECT_TRUE((value ? builder->AppendScalar(*value) : builder->AppendNull()).ok());
  }
  return builder->Finish().ValueOrDie();
}

bool IsNaN(const Scalar& value) {
  if (value->type->id() == arrow::Type::DOUBLE) {
    return std::isnan(static_cast<const arrow::DoubleScalar&>(*value).value);
  }
  return value->type->id() == arrow::Type::FLOAT &&
         std::isnan(static_cast<const arrow::FloatScalar&>(*value).value);
}

bool Less(const Scalar& a, const Scalar& b) {
  auto less = arrow::compute::CallFunction("less", {a, b}).ValueOrDie();
  return less.scalar_as<arrow::BooleanScalar>().value;
}

struct Data {
  std::shared_ptr<arrow::Schema> schema;
  std::vector<std::shared_ptr<arrow::RecordBatch>> batches;  // one per container
  ContainerTable containers{{}};
};

Data RandomData(Random& random) {
  Data data;
  const int64_t n = 1 + random.Below(5);
  std::vector<int64_t> rows(n), told(n);
  for (int64_t i = 0; i < n; ++i) {
    rows[i] = random.Chance(0.1) ? 0 : 1 + random.Below(5);
    told[i] = random.Chance(0.2) ? -1 : rows[i];
  }
  data.containers = ContainerTable(told);
  const int num_columns = 1 + static_cast<int>(random.Below(3));
  arrow::FieldVector fields;
  std::vector<std::vector<std::shared_ptr<arrow::Array>>> columns;  // by column, container
  auto first_type = random.Pick(Types());
  for (int c = 0; c < num_columns; ++c) {
    const auto type = random.Chance(0.4) ? first_type : random.Pick(Types());
    fields.push_back(arrow::field(std::string(1, static_cast<char>('a' + c)), type));
    std::vector<std::shared_ptr<arrow::Array>> arrays;
    ColumnKnowledge knowledge;
    std::vector<Scalar> constants(n), mins(n), maxs(n);
    std::vector<Scalar> null_counts(n);
    knowledge.is_constant.assign(n, false);
    const bool key = random.Chance(0.25);
    const double null_chance = random.Pick<double>({0, 0.3, 0.9});
    for (int64_t i = 0; i < n; ++i) {
      const bool constant = key || random.Chance(0.1);
      const int64_t shift = random.Below(8);
      std::vector<Scalar> values(rows[i]);
      Scalar one = random.Chance(0.2) ? nullptr : RandomValue(type, random, shift);
      int64_t nulls = 0;
      Scalar min, max;
      for (Scalar& value : values) {
        value = constant                     ? one
                : random.Chance(null_chance) ? nullptr
                                             : RandomValue(type, random, shift);
        if (!value) {
          ++nulls;
        } else if (!IsNaN(value)) {
          if (!min || Less(value, min)) min = value;
          if (!max || Less(max, value)) max = value;
        }
      }
      arrays.push_back(ArrayOf(type, values));
      if (constant && random.Chance(0.9)) {
        knowledge.is_constant[i] = true;
        constants[i] = one;
        // What stands under a constant must not matter.
        continue;
      }
      // Loose bounds are bounds.
      if (min && random.Chance(0.3)) {
        Scalar looser = RandomValue(type, random, 0);
        if (!IsNaN(looser) && Less(looser, min)) min = looser;
      }
      if (max && random.Chance(0.3)) {
        Scalar looser = RandomValue(type, random, 7);
        if (!IsNaN(looser) && Less(max, looser)) max = looser;
      }
      if (random.Chance(0.85)) mins[i] = min;
      if (random.Chance(0.85)) maxs[i] = max;
      if (random.Chance(0.8)) {
        null_counts[i] = arrow::MakeScalar(random.Chance(0.05) ? int64_t{-1} : nulls);
      }
    }
    if (random.Chance(0.9))
      knowledge.constant = ArrayOf(type, constants);
    else
      knowledge.is_constant.assign(n, false);
    if (random.Chance(0.9)) knowledge.bounds.min = ArrayOf(type, mins);
    if (random.Chance(0.9)) knowledge.bounds.max = ArrayOf(type, maxs);
    if (random.Chance(0.9)) {
      knowledge.bounds.null_count =
          std::static_pointer_cast<arrow::Int64Array>(ArrayOf(arrow::int64(), null_counts));
    }
    if (random.Chance(0.95)) data.containers.Set({c}, std::move(knowledge));
    columns.push_back(std::move(arrays));
  }
  data.schema = arrow::schema(fields);
  for (int64_t i = 0; i < n; ++i) {
    arrow::ArrayVector arrays;
    for (auto& column : columns) arrays.push_back(column[i]);
    data.batches.push_back(arrow::RecordBatch::Make(data.schema, rows[i], arrays));
  }
  return data;
}

struct Operand {
  Expression expression;
  std::shared_ptr<arrow::DataType> type;
};

Operand RandomOperand(const Data& data, Random& random) {
  const auto& field = data.schema->field(static_cast<int>(random.Below(data.schema->num_fields())));
  Operand operand{field_ref(field->name()), field->type()};
  if (random.Chance(0.3)) {
    std::vector<std::shared_ptr<arrow::DataType>> targets;
    switch (operand.type->id()) {
      case arrow::Type::INT8:
      case arrow::Type::INT32:
      case arrow::Type::INT64:
      case arrow::Type::UINT16:
        targets = {arrow::int64(),  arrow::int32(), arrow::float64(),        arrow::float32(),
                   arrow::uint16(), arrow::utf8(),  arrow::decimal128(23, 2)};
        break;
      case arrow::Type::FLOAT:
      case arrow::Type::DOUBLE:
        targets = {arrow::float64(), arrow::float32(), arrow::int32(), arrow::utf8()};
        break;
      case arrow::Type::STRING:
      case arrow::Type::LARGE_STRING:
      case arrow::Type::BINARY:
        targets = {arrow::utf8(), arrow::large_utf8(), arrow::binary()};
        break;
      case arrow::Type::DECIMAL128:
        targets = {arrow::decimal128(20, 4), arrow::float64(), arrow::decimal256(20, 2)};
        break;
      case arrow::Type::DATE32:
        targets = {arrow::timestamp(arrow::TimeUnit::SECOND, "UTC"),
                   arrow::timestamp(arrow::TimeUnit::MICRO), arrow::date64()};
        break;
      case arrow::Type::TIMESTAMP:
        targets = {arrow::timestamp(arrow::TimeUnit::MICRO),
                   arrow::timestamp(arrow::TimeUnit::NANO), arrow::date32()};
        break;
      case arrow::Type::BOOL:
        targets = {arrow::int32(), arrow::utf8()};
        break;
      default:
        break;
    }
    if (!targets.empty()) {
      operand.type = random.Pick(targets);
      operand.expression =
          call("cast", {operand.expression}, arrow::compute::CastOptions::Safe(operand.type));
    }
  }
  return operand;
}

Scalar LiteralOf(const std::shared_ptr<arrow::DataType>& type, Random& random) {
  for (const auto& known : Types()) {
    if (known->Equals(*type)) return RandomValue(type, random, random.Below(8));
  }
  // Types that only a cast gives.
  auto source = type->id() == arrow::Type::DECIMAL128 || type->id() == arrow::Type::DECIMAL256
                    ? arrow::decimal128(9, 2)
                : type->id() == arrow::Type::TIMESTAMP ? arrow::timestamp(arrow::TimeUnit::MICRO)
                                                       : arrow::date32();
  const auto value = RandomValue(source, random, random.Below(8));
  const auto one = arrow::MakeArrayFromScalar(*value, 1).ValueOrDie();
  return arrow::compute::Cast(*one, type).ValueOrDie()->GetScalar(0).ValueOrDie();
}

Expression RandomPredicate(const Data& data, Random& random, int depth) {
  using Lookup = arrow::compute::SetLookupOptions;
  if (depth > 0 && random.Chance(0.6)) {
    static const std::vector<std::string> functions = {
        "and_kleene", "or_kleene", "and", "or", "xor", "and_not", "and_not_kleene"};
    if (random.Chance(0.3)) return call("invert", {RandomPredicate(data, random, depth - 1)});
    const std::string function =
        random.Chance(0.7) ? functions[random.Below(2)] : random.Pick(functions);
    return call(function, {RandomPredicate(data, random, depth - 1),
                           RandomPredicate(data, random, depth - 1)});
  }
  static const std::vector<std::string> comparisons = {"equal",      "not_equal", "less",
                                                       "less_equal", "greater",   "greater_equal"};
  Operand operand = RandomOperand(data, random);
  switch (random.Below(12)) {
    case 0:
      return call("is_null", {operand.expression}, arrow::compute::NullOptions(random.Chance(0.5)));
    case 1:
      return call("is_valid", {operand.expression});
    case 2:
      if (arrow::is_floating(operand.type->id())) return call("is_nan", {operand.expression});
      return call("true_unless_null", {operand.expression});
    case 3:
    case 4: {
      std::vector<Scalar> members;
      const int64_t count = random.Below(5);
      for (int64_t i = 0; i < count; ++i) {
        members.push_back(random.Chance(0.15) ? nullptr : LiteralOf(operand.type, random));
      }
      return call("is_in", {operand.expression},
                  Lookup(ArrayOf(operand.type, members),
                         static_cast<Lookup::NullMatchingBehavior>(random.Below(4))));
    }
    case 5:
      if (arrow::is_base_binary_like(operand.type->id())) {
        static const std::vector<std::string> patterns = {"a", "ab", "b", "", "z", "Z", "\xC3"};
        static const std::vector<std::string> likes = {"a%", "ab_", "ab",  "%b", "",
                                                       "%",  "_",   "a%c", "é%", "a\\%"};
        if (random.Chance(0.5)) {
          return call(
              "starts_with", {operand.expression},
              arrow::compute::MatchSubstringOptions(random.Pick(patterns), random.Chance(0.1)));
        }
        return call("match_like", {operand.expression},
                    arrow::compute::MatchSubstringOptions(random.Pick(likes)));
      }
      break;
    case 6: {
      // Another column of the same type.
      for (int tries = 0; tries < 5; ++tries) {
        Operand other = RandomOperand(data, random);
        if (other.type->Equals(*operand.type)) {
          return call(random.Pick(comparisons), {operand.expression, other.expression});
        }
      }
      break;
    }
    case 7:
      if (operand.type->id() == arrow::Type::BOOL) return operand.expression;
      break;
    case 8:
      return call("is_null", {RandomPredicate(data, random, 0)});
    case 9:
      if (arrow::is_integer(operand.type->id())) {
        operand.expression = call("negate", {operand.expression});
      }
      break;
    case 10:
      return call("equal", {operand.expression, literal(arrow::MakeNullScalar(operand.type))});
    default:
      break;
  }
  Expression value = literal(LiteralOf(operand.type, random));
  if (random.Chance(0.2)) return call(random.Pick(comparisons), {value, operand.expression});
  return call(random.Pick(comparisons), {operand.expression, value});
}

// The outcomes that the rows of a batch really have.
arrow::Result<Outcomes> Truth(const Expression& bound, const arrow::RecordBatch& batch) {
  Outcomes outcomes = kNone;
  if (batch.num_rows() == 0) return outcomes;
  ARROW_ASSIGN_OR_RAISE(auto result, arrow::compute::ExecuteScalarExpression(
                                         bound, *batch.schema(), arrow::Datum(batch.Slice(0))));
  if (result.is_scalar()) {
    ARROW_ASSIGN_OR_RAISE(auto array,
                          arrow::MakeArrayFromScalar(*result.scalar(), batch.num_rows()));
    result = array;
  }
  const auto values = result.make_array();
  for (int64_t i = 0; i < values->length(); ++i) {
    outcomes |= values->IsNull(i)                                           ? kNull
                : static_cast<const arrow::BooleanArray&>(*values).Value(i) ? kTrue
                                                                            : kFalse;
  }
  return outcomes;
}

class PruneOracle : public ::testing::TestWithParam<int> {};

TEST_P(PruneOracle, NoOutcomeOfARowIsLeftOut) {
  int64_t containers = 0, pruned = 0, prunable = 0, evaluated = 0;
  for (int round = 0; round < 2500; ++round) {
    const uint64_t seed = static_cast<uint64_t>(GetParam()) * 100000 + round;
    Random random(seed);
    Data data = RandomData(random);
    for (int p = 0; p < 3; ++p) {
      Expression predicate = RandomPredicate(data, random, static_cast<int>(random.Below(4)));
      auto bound = predicate.Bind(*data.schema);
      // Some functions lack kernels for some types.
      if (!bound.ok()) continue;
      std::vector<arrow::Result<Outcomes>> truth;
      bool fails = false;
      for (const auto& batch : data.batches) {
        truth.push_back(Truth(*bound, *batch));
        fails |= !truth.back().ok();
      }
      auto result = Prune({*bound}, *data.schema, data.containers);
      if (!result.ok()) {
        // Only where the rows themselves fail.
        EXPECT_TRUE(fails) << "seed " << seed << ": " << predicate.ToString() << "\n"
                           << result.status();
        continue;
      }
      ++evaluated;
      for (size_t i = 0; i < truth.size(); ++i) {
        // Rows that raise an error have no outcomes to compare.
        if (!truth[i].ok()) continue;
        const Outcomes computed = result->outcomes[i];
        ASSERT_EQ(*truth[i] & ~computed, 0)
            << "seed " << seed << ", container " << i << ": " << predicate.ToString()
            << "\nrows have " << int{*truth[i]} << ", computed " << int{computed} << "\n"
            << data.batches[i]->ToString();
        ++containers;
        prunable += (*truth[i] & kTrue) == 0;
        pruned += !result->kept(i);
      }
    }
  }
  // The test tests something, and the pruner prunes.
  EXPECT_GT(evaluated, 5000);
  EXPECT_GT(pruned * 2, prunable) << pruned << " of " << prunable << " prunable of " << containers;
  RecordProperty("pruned_percent", static_cast<int>(100 * pruned / prunable));
}

INSTANTIATE_TEST_SUITE_P(Seeds, PruneOracle, ::testing::Range(0, 4));

}  // namespace
}  // namespace shoal::prune
