#include "prune/outcomes.h"

#include <cstddef>

namespace shoal::prune {
namespace {

constexpr Outcomes kMembers[] = {kTrue, kFalse, kNull};

template <typename Function>
constexpr UnaryTable Lift1(Function function) {
  UnaryTable table{};
  for (size_t a = 0; a < 8; ++a) {
    for (Outcomes x : kMembers) {
      if (a & x) table[a] |= function(x);
    }
  }
  return table;
}

template <typename Function>
constexpr BinaryTable Lift2(Function function) {
  BinaryTable table{};
  for (size_t a = 0; a < 8; ++a) {
    for (size_t b = 0; b < 8; ++b) {
      for (Outcomes x : kMembers) {
        for (Outcomes y : kMembers) {
          if ((a & x) && (b & y)) table[a][b] |= function(x, y);
        }
      }
    }
  }
  return table;
}

// On single outcomes.
constexpr Outcomes Not1(Outcomes x) { return x == kTrue ? kFalse : x == kFalse ? kTrue : kNull; }
constexpr Outcomes AndKleene1(Outcomes x, Outcomes y) {
  if (x == kFalse || y == kFalse) return kFalse;
  return x == kTrue && y == kTrue ? kTrue : kNull;
}
constexpr Outcomes OrKleene1(Outcomes x, Outcomes y) { return Not1(AndKleene1(Not1(x), Not1(y))); }
// The functions that are not Kleene's give null as soon as one side is null.
constexpr bool AnyNull(Outcomes x, Outcomes y) { return x == kNull || y == kNull; }
constexpr Outcomes And1(Outcomes x, Outcomes y) { return AnyNull(x, y) ? kNull : AndKleene1(x, y); }
constexpr Outcomes Or1(Outcomes x, Outcomes y) { return AnyNull(x, y) ? kNull : OrKleene1(x, y); }
constexpr Outcomes Xor1(Outcomes x, Outcomes y) {
  return AnyNull(x, y) ? kNull : x != y ? kTrue : kFalse;
}
constexpr Outcomes AndNotKleene1(Outcomes x, Outcomes y) { return AndKleene1(x, Not1(y)); }
constexpr Outcomes AndNot1(Outcomes x, Outcomes y) { return And1(x, Not1(y)); }

constexpr UnaryTable kInvert = Lift1(Not1);
constexpr BinaryTable kAndKleene = Lift2(AndKleene1);
constexpr BinaryTable kOrKleene = Lift2(OrKleene1);
constexpr BinaryTable kAnd = Lift2(And1);
constexpr BinaryTable kOr = Lift2(Or1);
constexpr BinaryTable kXor = Lift2(Xor1);
constexpr BinaryTable kAndNotKleene = Lift2(AndNotKleene1);
constexpr BinaryTable kAndNot = Lift2(AndNot1);

struct NamedBinaryTable {
  std::string_view name;
  const BinaryTable* table;
};
constexpr NamedBinaryTable kBinaryTables[] = {
    {"and_kleene", &kAndKleene},
    {"or_kleene", &kOrKleene},
    {"and", &kAnd},
    {"or", &kOr},
    {"xor", &kXor},
    {"and_not", &kAndNot},
    {"and_not_kleene", &kAndNotKleene},
};

}  // namespace

const UnaryTable* FindUnaryTable(std::string_view function) {
  return function == "invert" ? &kInvert : nullptr;
}

const BinaryTable* FindBinaryTable(std::string_view function) {
  for (const NamedBinaryTable& named : kBinaryTables) {
    if (named.name == function) return named.table;
  }
  return nullptr;
}

Outcomes And(Outcomes a, Outcomes b) { return kAndKleene[a][b]; }

void Apply(const UnaryTable& table, std::vector<Outcomes>* a) {
  for (Outcomes& outcome : *a) outcome = table[outcome];
}

void Apply(const BinaryTable& table, std::vector<Outcomes>* a, const std::vector<Outcomes>& b) {
  for (size_t i = 0; i < a->size(); ++i) (*a)[i] = table[(*a)[i]][b[i]];
}

}  // namespace shoal::prune
