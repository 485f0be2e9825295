#include "CFuzzing.h"

#include <stdatomic.h>
#include <stddef.h>

// Of the address sanitizer's runtime, which declares them in <sanitizer/allocator_interface.h>.
int __sanitizer_install_malloc_and_free_hooks(
    void (*on_malloc)(const volatile void *, size_t), void (*on_free)(const volatile void *));
size_t __sanitizer_get_allocated_size(const volatile void *);

static atomic_llong live, peak;

static void on_malloc(const volatile void *address, size_t size) {
  (void)address;
  long long now = atomic_fetch_add_explicit(&live, size, memory_order_relaxed) + (long long)size;
  if (now > atomic_load_explicit(&peak, memory_order_relaxed)) {
    atomic_store_explicit(&peak, now, memory_order_relaxed);
  }
}

static void on_free(const volatile void *address) {
  if (address == NULL) return;
  size_t size = __sanitizer_get_allocated_size(address);
  atomic_fetch_sub_explicit(&live, size, memory_order_relaxed);
}

void cfuzzing_begin(void) {
  static atomic_flag is_installed = ATOMIC_FLAG_INIT;
  if (!atomic_flag_test_and_set(&is_installed)) {
    __sanitizer_install_malloc_and_free_hooks(on_malloc, on_free);
  }
  atomic_store(&live, 0);
  atomic_store(&peak, 0);
}

int64_t cfuzzing_peak(void) { return atomic_load(&peak); }
