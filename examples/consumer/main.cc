#include <iostream>

#include <shoal/version.h>

int main() {
  std::cout << "shoal " << shoal::Version() << "\n";
  return 0;
}
