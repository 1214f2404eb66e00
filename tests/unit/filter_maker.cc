#include "filter_maker.h"

#include <algorithm>
#include <set>

#include <arrow/array.h>
#include <arrow/builder.h>
#include <arrow/compute/api.h>
#include <arrow/scalar.h>
#include <arrow/type_traits.h>

#include "must.h"
#include "plain_evaluator.h"
#include "value_maker.h"

namespace shoal::oracle {
namespace {

using arrow::Type;
using arrow::compute::call;
using arrow::compute::Expression;
using arrow::compute::field_ref;
using arrow::compute::literal;
using Lookup = arrow::compute::SetLookupOptions;
using ScalarPtr = std::shared_ptr<arrow::Scalar>;
using TypePtr = std::shared_ptr<arrow::DataType>;

const std::vector<std::string>& Comparisons() {
  static const std::vector<std::string> names = {"equal",      "not_equal", "less",
                                                 "less_equal", "greater",   "greater_equal"};
  return names;
}

bool IsZoned(const arrow::DataType& type) {
  return type.id() == Type::TIMESTAMP &&
         !static_cast<const arrow::TimestampType&>(type).timezone().empty();
}

/// The type, and others in which a literal may be given.
std::vector<TypePtr> LiteralTypes(const TypePtr& type) {
  using arrow::TimeUnit;
  switch (type->id()) {
    case Type::STRING:
    case Type::LARGE_STRING:
      return {arrow::utf8(), arrow::large_utf8(), arrow::utf8_view(), type};
    case Type::BINARY:
    case Type::LARGE_BINARY:
    case Type::FIXED_SIZE_BINARY:
      return {arrow::binary(), arrow::large_binary(), arrow::binary_view(), type};
    case Type::FLOAT:
    case Type::DOUBLE:
      return {type, arrow::float64(), arrow::float32(), arrow::int64()};
    case Type::DATE32:
    case Type::DATE64:
      return {type,
              type,
              arrow::date32(),
              arrow::timestamp(TimeUnit::MILLI),
              arrow::timestamp(TimeUnit::SECOND, "UTC"),
              arrow::utf8()};
    case Type::TIMESTAMP: {
      const std::string zone = IsZoned(*type) ? "UTC" : "";
      return {type, type, arrow::timestamp(TimeUnit::SECOND, zone),
              arrow::timestamp(TimeUnit::MICRO, zone), arrow::timestamp(TimeUnit::NANO, zone)};
    }
    case Type::TIME32:
    case Type::TIME64:
      return {type, type, arrow::time32(TimeUnit::SECOND), arrow::time64(TimeUnit::NANO)};
    case Type::DURATION:
      return {type, type, arrow::duration(TimeUnit::SECOND), arrow::duration(TimeUnit::NANO)};
    case Type::DECIMAL128:
    case Type::DECIMAL256:
      return {type, type, arrow::int64(), arrow::decimal128(20, 1), arrow::decimal256(60, 7)};
    default:
      break;
  }
  if (arrow::is_integer(type->id())) {
    return {type,
            type,
            arrow::int64(),
            arrow::int32(),
            arrow::uint8(),
            arrow::float64(),
            arrow::float32(),
            arrow::decimal128(25, 2)};
  }
  return {type};
}

/// The value in the other type, cut where it does not fit; null if it can't be said there.
ScalarPtr InType(const ScalarPtr& value, const TypePtr& type) {
  if (value->type->Equals(*type)) return value;
  auto cast = arrow::compute::Cast(value, type, arrow::compute::CastOptions::Unsafe(type));
  if (!cast.ok()) return nullptr;
  return cast->scalar();
}

}  // namespace

FilterMaker::FilterMaker(const arrow::RecordBatch& rows, const std::vector<std::string>& favourites,
                         Random& random)
    : random_(random) {
  for (const auto& field : rows.schema()->fields()) {
    const bool favourite =
        std::find(favourites.begin(), favourites.end(), field->name()) != favourites.end();
    if (favourite) favourites_.push_back(operands_.size());
    AddOperands(arrow::FieldRef(field->name()), field->name(), field->type(), rows);
  }
}

void FilterMaker::AddOperands(const arrow::FieldRef& ref, const std::string& name,
                              const TypePtr& type, const arrow::RecordBatch& rows) {
  auto values = Must(PlainValues(Must(ref.GetOneFlattened(rows))));
  operands_.push_back({ref, name, type, std::move(values)});
  if (type->id() != Type::STRUCT) return;
  for (const auto& field : type->fields()) {
    std::vector<arrow::FieldRef> path;
    if (const auto* nested = ref.nested_refs()) {
      path = *nested;
    } else {
      path = {ref};
    }
    path.emplace_back(field->name());
    AddOperands(arrow::FieldRef(std::move(path)), name + "." + field->name(), field->type(), rows);
  }
}

Expression FilterMaker::Filter(int depth) {
  if (depth <= 0 || random_.Chance(0.3)) return Predicate();
  if (random_.Chance(0.2)) return call("invert", {Filter(depth - 1)});
  static const std::vector<std::string> functions = {"and_kleene", "and_kleene", "and_kleene",
                                                     "or_kleene",  "or_kleene",  "or_kleene",
                                                     "and",        "or",         "xor"};
  return call(random_.Pick(functions), {Filter(depth - 1), Filter(depth - 1)});
}

Expression FilterMaker::Predicate() {
  const bool favour = !favourites_.empty() && random_.Chance(0.3);
  const Operand& operand =
      operands_[favour ? random_.Pick(favourites_)
                       : random_.Below(static_cast<int64_t>(operands_.size()))];
  const Type::type id = operand.values->type_id();
  switch (random_.Below(14)) {
    case 0:
      return call("is_null", {field_ref(operand.ref)},
                  arrow::compute::NullOptions(random_.Chance(0.3)));
    case 1:
      return call("is_valid", {field_ref(operand.ref)});
    case 2:
      if (arrow::is_floating(id)) return call("is_nan", {field_ref(operand.ref)});
      break;
    case 3:
    case 4:
    case 5:
      if (!arrow::is_nested(id) && id != Type::NA) return IsIn(operand);
      break;
    case 6:
    case 7:
      if (arrow::is_base_binary_like(id)) return Pattern(operand);
      break;
    case 8:
      if (id == Type::BOOL) return field_ref(operand.ref);
      break;
    case 9:
      for (int tries = 0; tries < 6; ++tries) {
        const Operand other = random_.Pick(operands_);
        if (!arrow::is_nested(id) && other.values->type()->Equals(*operand.values->type())) {
          return call(random_.Pick(Comparisons()), {field_ref(operand.ref), field_ref(other.ref)});
        }
      }
      break;
    case 10:
      if (!arrow::is_nested(id)) return Cast(operand);
      break;
    case 11:
      // Literals of uint64 are written like those of int64, and beside them Arrow computes in
      // int64.
      if (!arrow::is_nested(id) && id != Type::NA && id != Type::UINT64) return Computed(operand);
      break;
    default:
      break;
  }
  if (arrow::is_nested(id) || id == Type::NA) {
    return call(random_.Chance(0.5) ? "is_null" : "is_valid", {field_ref(operand.ref)});
  }
  return Comparison(operand);
}

Expression FilterMaker::Comparison(const Operand& operand) {
  std::vector<Expression> sides = {field_ref(operand.ref), literal(LiteralFor(operand))};
  if (random_.Chance(0.15)) std::swap(sides[0], sides[1]);
  return call(random_.Pick(Comparisons()), std::move(sides));
}

Expression FilterMaker::IsIn(const Operand& operand) {
  const TypePtr type = random_.Pick(LiteralTypes(operand.values->type()));
  auto builder = Must(arrow::MakeBuilder(type));
  const int64_t members = random_.Below(5);
  for (int64_t i = 0; i < members; ++i) {
    ScalarPtr member = InType(Near(operand), type);
    Must(member && member->is_valid ? builder->AppendScalar(*member) : arrow::Status::OK());
  }
  if (random_.Chance(0.25)) Must(builder->AppendNull());
  const auto behaviour = random_.Pick<Lookup::NullMatchingBehavior>(
      {Lookup::MATCH, Lookup::SKIP, Lookup::EMIT_NULL, Lookup::INCONCLUSIVE});
  return call("is_in", {field_ref(operand.ref)}, Lookup(Must(builder->Finish()), behaviour));
}

Expression FilterMaker::Pattern(const Operand& operand) {
  static const std::vector<std::string> functions = {
      "starts_with", "starts_with", "match_like", "match_like", "ends_with", "match_substring"};
  std::string text;
  if (auto value = Near(operand); value->is_valid) {
    text = static_cast<const arrow::BaseBinaryScalar&>(*value).view();
  }
  const std::string function = random_.Pick(functions);
  // Cut between characters.
  size_t end = std::min<size_t>(text.size(), random_.Below(4));
  while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) ++end;
  text.resize(end);
  if (function == "match_like") {
    // Arrow reads escapes of its own in patterns that have a backslash.
    std::erase(text, '\\');
    text += random_.Pick<std::string>({"%", "%", "_%", "%e%", "", "\xC3\xA9%"});
  }
  return call(function, {field_ref(operand.ref)},
              arrow::compute::MatchSubstringOptions(text, random_.Chance(0.15)));
}

Expression FilterMaker::Cast(const Operand& operand) {
  const TypePtr& type = operand.values->type();
  std::vector<TypePtr> targets;
  if (arrow::is_integer(type->id())) {
    targets = {arrow::int64(),  arrow::float64(),         arrow::int16(),
               arrow::uint32(), arrow::decimal128(23, 2), arrow::utf8()};
  } else if (arrow::is_floating(type->id())) {
    targets = {arrow::float64(), arrow::float32(), arrow::int32()};
  } else if (arrow::is_decimal(type->id())) {
    targets = {arrow::float64(), arrow::decimal256(60, 6), arrow::int64()};
  } else if (type->id() == Type::TIMESTAMP) {
    targets = {arrow::timestamp(arrow::TimeUnit::NANO,
                                static_cast<const arrow::TimestampType&>(*type).timezone()),
               arrow::date32()};
  } else if (type->id() == Type::DATE32) {
    targets = {arrow::timestamp(arrow::TimeUnit::MICRO), arrow::date64()};
  } else if (type->id() == Type::STRING || type->id() == Type::LARGE_STRING) {
    targets = {arrow::binary(), arrow::utf8(), arrow::large_utf8()};
  } else if (type->id() == Type::BOOL) {
    targets = {arrow::int8(), arrow::utf8()};
  } else {
    return Comparison(operand);
  }
  const TypePtr target = random_.Pick(targets);
  auto cast = call("cast", {field_ref(operand.ref)}, arrow::compute::CastOptions::Safe(target));
  ScalarPtr value = InType(Near(operand), target);
  if (!value) return call("is_null", {cast});
  return call(random_.Pick(Comparisons()), {std::move(cast), literal(std::move(value))});
}

Expression FilterMaker::Computed(const Operand& operand) {
  const Type::type id = operand.values->type_id();
  const Expression column = field_ref(operand.ref);
  const std::string comparison = random_.Pick(Comparisons());
  switch (random_.Below(3)) {
    case 0:
      return call(comparison,
                  {call("coalesce", {column, literal(Near(operand))}), literal(Near(operand))});
    case 1:
      return call(comparison, {call("if_else", {Predicate(), column, literal(Near(operand))}),
                               literal(Near(operand))});
    default:
      break;
  }
  if (arrow::is_integer(id)) {
    const char* function = random_.Chance(0.5) ? "add_checked" : "subtract_checked";
    return call(comparison,
                {call(function, {column, literal(Near(operand))}), literal(Near(operand))});
  }
  if (arrow::is_string(id)) {
    return call(comparison, {call("utf8_length", {column}),
                             literal(std::make_shared<arrow::Int32Scalar>(random_.Between(0, 8)))});
  }
  if (id == Type::DATE32 || id == Type::TIMESTAMP) {
    return call(comparison, {call("day", {column}), literal(random_.Between(0, 32))});
  }
  return Comparison(operand);
}

ScalarPtr FilterMaker::Near(const Operand& operand) {
  const auto& values = *operand.values;
  const TypePtr& type = values.type();
  if (random_.Chance(0.1)) return SpecialValue(type, random_);
  if (values.length() == 0 || random_.Chance(0.15)) {
    return ValueNumber(type, random_.Between(-60, 260));
  }
  for (int tries = 0; tries < 5; ++tries) {
    auto value = Must(values.GetScalar(random_.Below(values.length())));
    if (value->is_valid) return value;
  }
  return ValueNumber(type, random_.Between(-60, 260));
}

ScalarPtr FilterMaker::LiteralFor(const Operand& operand) {
  const TypePtr type = random_.Pick(LiteralTypes(operand.values->type()));
  if (random_.Chance(0.03)) return arrow::MakeNullScalar(type);
  const ScalarPtr value = Near(operand);
  // Texts of dates are those that people write.
  ScalarPtr there = InType(value, type);
  if (!there) return value;
  const bool number = arrow::is_integer(operand.values->type_id());
  if (number && random_.Chance(0.2)) {
    // Between two numbers.
    if (type->id() == Type::DOUBLE) {
      const double whole = static_cast<const arrow::DoubleScalar&>(*there).value;
      return arrow::MakeScalar(whole + 0.5);
    }
  }
  return there;
}

}  // namespace shoal::oracle
