// Makes one operation on files fail, or the process end at it; loaded with LD_PRELOAD by
// `scripts/stress files`. Linux only.
//
// Counted are the operations that change files below FAULTS_FOLDER. The one with the number FAULTS_AT,
// from 1, meets the fate FAULTS_KIND:
//
//   space, io, denied, device   fails with ENOSPC, EIO, EACCES or EXDEV
//   full                        this write takes half of its bytes, and later ones fail with ENOSPC
//   before, after               the process ends before or after it, as by a crash
//
// FAULTS_LOG names a file with a line for each operation: its name, then its paths, separated by tabs. A
// flush has the size of the file in place of a second path.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *folder, *kind;
static long fatal_number;
static int log_file = -1;
static atomic_long count;

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

__attribute__((constructor)) static void begin(void) {
  folder = getenv("FAULTS_FOLDER");
  kind = getenv("FAULTS_KIND");
  const char *number = getenv("FAULTS_AT"), *log = getenv("FAULTS_LOG");
  fatal_number = number ? atol(number) : 0;
  if (log) {
    log_file = NEXT(open)(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    // Far from the numbers that the program uses.
    int high = fcntl(log_file, F_DUPFD_CLOEXEC, 900);
    if (high >= 0) log_file = high;
  }
}

static int is_below(const char *path) {
  if (!folder || !path) return 0;
  size_t length = strlen(folder);
  return strncmp(path, folder, length) == 0 && (path[length] == '/' || path[length] == 0);
}

static const char *path_of(int file, char *buffer) {
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  ssize_t length = readlink(link, buffer, PATH_MAX - 1);
  if (length < 0) return NULL;
  buffer[length] = 0;
  return buffer;
}

static void end(void) { _exit(137); }

/// What becomes of an operation: 0 nothing, 1 it fails with errno, 2 the process ends after it.
static int fate(const char *name, const char *path, const char *other) {
  if (!is_below(path) && !is_below(other)) return 0;
  long number = atomic_fetch_add(&count, 1) + 1;
  if (log_file >= 0) dprintf(log_file, "%s\t%s\t%s\n", name, path ? path : "", other ? other : "");
  int is_write = strstr(name, "write") != NULL;
  if (kind && !strcmp(kind, "full") && is_write && number > fatal_number && fatal_number > 0) {
    errno = ENOSPC;
    return 1;
  }
  if (!kind || number != fatal_number) return 0;
  if (!strcmp(kind, "before")) end();
  if (!strcmp(kind, "after")) return 2;
  errno = !strcmp(kind, "io") ? EIO : !strcmp(kind, "denied") ? EACCES : !strcmp(kind, "device") ? EXDEV : ENOSPC;
  return 1;
}

#define GUARD(name, path, other, call)                      \
  int outcome = fate(name, path, other);                    \
  if (outcome == 1) return -1;                              \
  __typeof__(call) result = call;                           \
  if (outcome == 2) end();                                  \
  return result;

static int opens_for_writing(int flags) { return (flags & O_ACCMODE) != O_RDONLY || (flags & O_CREAT); }

#define OPEN(name, parameters, arguments, at)                                   \
  int name parameters {                                                         \
    mode_t mode = 0;                                                            \
    if (flags & O_CREAT) {                                                      \
      va_list more;                                                             \
      va_start(more, flags);                                                    \
      mode = va_arg(more, mode_t);                                              \
      va_end(more);                                                             \
    }                                                                           \
    if (!opens_for_writing(flags)) return NEXT(name) arguments;                 \
    GUARD("open", path, NULL, NEXT(name) arguments)                             \
  }
OPEN(open, (const char *path, int flags, ...), (path, flags, mode), 0)
OPEN(open64, (const char *path, int flags, ...), (path, flags, mode), 0)
OPEN(openat, (int at, const char *path, int flags, ...), (at, path, flags, mode), 0)
OPEN(openat64, (int at, const char *path, int flags, ...), (at, path, flags, mode), 0)

int mkstemp(char *template) { GUARD("open", template, NULL, NEXT(mkstemp)(template)) }
int mkostemp(char *template, int flags) { GUARD("open", template, NULL, NEXT(mkostemp)(template, flags)) }

ssize_t write(int file, const void *bytes, size_t size) {
  char buffer[PATH_MAX];
  int outcome = fate("write", path_of(file, buffer), NULL);
  // A full disk takes some bytes first.
  if (outcome == 1 && kind && !strcmp(kind, "full") && atomic_load(&count) == fatal_number && size > 1) {
    return NEXT(write)(file, bytes, size / 2);
  }
  if (outcome == 1) return -1;
  ssize_t result = NEXT(write)(file, bytes, size);
  if (outcome == 2) end();
  return result;
}

#define FILE_OPERATION(type, name, word, parameters, arguments)                                  \
  type name parameters {                                                                         \
    char buffer[PATH_MAX];                                                                       \
    GUARD(word, path_of(file, buffer), NULL, NEXT(name) arguments)                               \
  }
FILE_OPERATION(ssize_t, pwrite, "write", (int file, const void *b, size_t n, off_t at), (file, b, n, at))
FILE_OPERATION(ssize_t, pwrite64, "write", (int file, const void *b, size_t n, off64_t at), (file, b, n, at))
FILE_OPERATION(int, ftruncate, "truncate", (int file, off_t size), (file, size))
FILE_OPERATION(int, ftruncate64, "truncate", (int file, off64_t size), (file, size))
#define FLUSH(name)                                                      \
  int name(int file) {                                                   \
    char buffer[PATH_MAX], size[32];                                     \
    struct stat status;                                                  \
    if (fstat(file, &status) != 0) return -1;                            \
    snprintf(size, sizeof size, "%lld", (long long)status.st_size);      \
    GUARD("flush", path_of(file, buffer), size, NEXT(name)(file))        \
  }
FLUSH(fsync)
FLUSH(fdatasync)
FILE_OPERATION(int, syncfs, "flush-all", (int file), (file))
FILE_OPERATION(int, fchmod, "mode", (int file, mode_t mode), (file, mode))

int rename(const char *old, const char *new) { GUARD("rename", old, new, NEXT(rename)(old, new)) }
int renameat2(int at, const char *old, int to, const char *new, unsigned flags) {
  GUARD(flags & 2 ? "exchange" : "rename", old, new, NEXT(renameat2)(at, old, to, new, flags))
}
int link(const char *old, const char *new) { GUARD("link", old, new, NEXT(link)(old, new)) }
int mkdir(const char *path, mode_t mode) { GUARD("mkdir", path, NULL, NEXT(mkdir)(path, mode)) }
int unlink(const char *path) { GUARD("remove", path, NULL, NEXT(unlink)(path)) }
int rmdir(const char *path) { GUARD("remove", path, NULL, NEXT(rmdir)(path)) }
int remove(const char *path) { GUARD("remove", path, NULL, NEXT(remove)(path)) }
int chmod(const char *path, mode_t mode) { GUARD("mode", path, NULL, NEXT(chmod)(path, mode)) }
