// Three-valued logic on sets of outcomes.
//
// A set over-approximates: it holds every outcome that some row of the container has, perhaps more.
// Lifting an operator to sets by trying all pairs of members keeps that: the pair of outcomes of
// any row is among the pairs tried.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "prune/pruner.h"

namespace shoal::prune {

using UnaryTable = std::array<Outcomes, 8>;
using BinaryTable = std::array<std::array<Outcomes, 8>, 8>;

/// The table of a Boolean function of Arrow compute (`invert`, `and_kleene`, `xor`, ...); nullptr
/// if it is none.
const UnaryTable* FindUnaryTable(std::string_view function);
const BinaryTable* FindBinaryTable(std::string_view function);

/// All three-valued AND: true if both are, false if one is.
Outcomes And(Outcomes a, Outcomes b);

void Apply(const UnaryTable& table, std::vector<Outcomes>* a);
/// *a = table(*a, b), container by container.
void Apply(const BinaryTable& table, std::vector<Outcomes>* a, const std::vector<Outcomes>& b);

}  // namespace shoal::prune
