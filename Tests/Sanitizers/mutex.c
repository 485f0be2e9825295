// Shows the thread sanitizer what `Mutex` of Swift's Synchronization orders; loaded with LD_PRELOAD by
// `scripts/check sanitize`. Linux only.
//
// A mutex that nobody waits for is locked and unlocked by atomic operations that the compiler copies into its
// caller, where the sanitizer sees them. Where threads wait, a function of Swift's library does it, which is not
// instrumented: what the mutex protects would be reported as a race. These two functions are called in its
// place, tell the sanitizer, and call the function of the library.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>

// Absent in programs without the sanitizer, which inherit LD_PRELOAD.
__attribute__((weak)) void __tsan_acquire(void *);
__attribute__((weak)) void __tsan_release(void *);

#define MUTEX "$s15Synchronization12_MutexHandleV"
#define LOCK MUTEX "9_lockSlowyys6UInt32VF"
#define UNLOCK MUTEX "11_unlockSlowyyF"
#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context)) void *

typedef SWIFT void Lock(uint32_t thread, SELF);
typedef SWIFT void Unlock(SELF);

SWIFT void lock_slow(uint32_t thread, SELF mutex) __asm__(LOCK);
SWIFT void unlock_slow(SELF mutex) __asm__(UNLOCK);

SWIFT void lock_slow(uint32_t thread, SELF mutex) {
  ((Lock *)dlsym(RTLD_NEXT, LOCK))(thread, mutex);
  if (__tsan_acquire) __tsan_acquire(mutex);
}

SWIFT void unlock_slow(SELF mutex) {
  if (__tsan_release) __tsan_release(mutex);
  ((Unlock *)dlsym(RTLD_NEXT, UNLOCK))(mutex);
}
