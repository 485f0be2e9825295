#include <stdint.h>

/// Starts to count what the process allocates from now on.
void cfuzzing_begin(void);

/// The most bytes that were allocated at once since the beginning.
int64_t cfuzzing_peak(void);
