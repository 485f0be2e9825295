#pragma once

// One version of a function for each instruction set, chosen when the program is loaded. Not under the thread
// sanitizer: its calls in the code that chooses would be made before its library is loaded.
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define INK_ONE_VERSION
#endif
#endif
#if defined(__x86_64__) && defined(__linux__) && !defined(INK_ONE_VERSION)
#define CLONES __attribute__((target_clones("avx512f", "arch=x86-64-v3", "default")))
#else
#define CLONES
#endif
