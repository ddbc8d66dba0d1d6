/* Preloaded into a server and all it starts: from some call on, nothing below a folder that takes room on the disk succeeds. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

/* Shared by all processes, by a file: 0 is off; n lets n - 1 calls pass; then all fail. */
struct state {
  long from;
  long calls;
  long failed;
};
static struct state *shared;
static const char *below;

__attribute__((constructor)) static void attach(void) {
  const char *file = getenv("FULL_DISK_STATE");
  below = getenv("FULL_DISK_BELOW");
  if (!file || !below) return;
  int fd = open(file, O_RDWR | O_CLOEXEC);
  if (fd < 0) return;
  void *map = mmap(NULL, sizeof(struct state), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  close(fd);
  if (map != MAP_FAILED) shared = map;
}

static int counts(void) {
  if (!shared) return 0;
  long from = __atomic_load_n(&shared->from, __ATOMIC_SEQ_CST);
  if (from == 0) return 0;
  if (__atomic_add_fetch(&shared->calls, 1, __ATOMIC_SEQ_CST) < from) return 0;
  __atomic_add_fetch(&shared->failed, 1, __ATOMIC_SEQ_CST);
  errno = ENOSPC;
  return 1;
}

static int inside(const char *path) { return below && strncmp(path, below, strlen(below)) == 0; }

static int path_fails(int dir, const char *path) {
  char whole[PATH_MAX];
  if (!shared || !shared->from || !path) return 0;
  if (path[0] == '/') return inside(path) && counts();
  if (dir == AT_FDCWD) {
    if (!getcwd(whole, sizeof whole)) return 0;
  } else {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", dir);
    ssize_t n = readlink(link, whole, sizeof whole - 1);
    if (n < 0) return 0;
    whole[n] = 0;
  }
  return inside(whole) && counts();
}

static int fd_fails(int fd) {
  char link[64], path[PATH_MAX];
  struct stat found;
  if (!shared || !shared->from) return 0;
  if (fstat(fd, &found) != 0 || !S_ISREG(found.st_mode)) return 0;
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t n = readlink(link, path, sizeof path - 1);
  if (n < 0) return 0;
  path[n] = 0;
  return inside(path) && counts();
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static int creates(int dir, const char *path, int flags) {
  return (flags & O_CREAT) && faccessat(dir, path, F_OK, AT_SYMLINK_NOFOLLOW) != 0;
}

#define OPEN(name)                                                     \
  int name(const char *path, int flags, ...) {                         \
    mode_t mode = 0;                                                   \
    if (flags & (O_CREAT | O_TMPFILE)) {                               \
      va_list rest;                                                    \
      va_start(rest, flags);                                           \
      mode = va_arg(rest, mode_t);                                     \
      va_end(rest);                                                    \
    }                                                                  \
    if (creates(AT_FDCWD, path, flags) && path_fails(AT_FDCWD, path)) return -1; \
    return REAL(name)(path, flags, mode);                              \
  }
OPEN(open)
OPEN(open64)

#define OPENAT(name)                                                   \
  int name(int dir, const char *path, int flags, ...) {                \
    mode_t mode = 0;                                                   \
    if (flags & (O_CREAT | O_TMPFILE)) {                               \
      va_list rest;                                                    \
      va_start(rest, flags);                                           \
      mode = va_arg(rest, mode_t);                                     \
      va_end(rest);                                                    \
    }                                                                  \
    if (creates(dir, path, flags) && path_fails(dir, path)) return -1; \
    return REAL(name)(dir, path, flags, mode);                         \
  }
OPENAT(openat)
OPENAT(openat64)

FILE *fopen(const char *path, const char *mode) {
  if (*mode != 'r' && path_fails(AT_FDCWD, path)) return NULL;
  return REAL(fopen)(path, mode);
}
FILE *fopen64(const char *path, const char *mode) {
  if (*mode != 'r' && path_fails(AT_FDCWD, path)) return NULL;
  return REAL(fopen64)(path, mode);
}
int mkdir(const char *path, mode_t mode) { return path_fails(AT_FDCWD, path) ? -1 : REAL(mkdir)(path, mode); }
int mkdirat(int dir, const char *path, mode_t mode) { return path_fails(dir, path) ? -1 : REAL(mkdirat)(dir, path, mode); }
char *mkdtemp(char *path) { return path_fails(AT_FDCWD, path) ? NULL : REAL(mkdtemp)(path); }
int rename(const char *from, const char *to) { return path_fails(AT_FDCWD, to) ? -1 : REAL(rename)(from, to); }
int renameat(int a, const char *from, int b, const char *to) { return path_fails(b, to) ? -1 : REAL(renameat)(a, from, b, to); }
int link(const char *from, const char *to) { return path_fails(AT_FDCWD, to) ? -1 : REAL(link)(from, to); }
int linkat(int a, const char *from, int b, const char *to, int flags) {
  return path_fails(b, to) ? -1 : REAL(linkat)(a, from, b, to, flags);
}
int symlink(const char *to, const char *path) { return path_fails(AT_FDCWD, path) ? -1 : REAL(symlink)(to, path); }
ssize_t write(int fd, const void *bytes, size_t size) { return fd_fails(fd) ? -1 : REAL(write)(fd, bytes, size); }
ssize_t pwrite(int fd, const void *bytes, size_t size, off_t at) { return fd_fails(fd) ? -1 : REAL(pwrite)(fd, bytes, size, at); }
ssize_t pwrite64(int fd, const void *bytes, size_t size, off64_t at) { return fd_fails(fd) ? -1 : REAL(pwrite64)(fd, bytes, size, at); }
ssize_t writev(int fd, const struct iovec *parts, int count) { return fd_fails(fd) ? -1 : REAL(writev)(fd, parts, count); }
ssize_t pwritev(int fd, const struct iovec *parts, int count, off_t at) { return fd_fails(fd) ? -1 : REAL(pwritev)(fd, parts, count, at); }
ssize_t pwritev64(int fd, const struct iovec *parts, int count, off64_t at) {
  return fd_fails(fd) ? -1 : REAL(pwritev64)(fd, parts, count, at);
}
int fsync(int fd) { return fd_fails(fd) ? -1 : REAL(fsync)(fd); }
int fdatasync(int fd) { return fd_fails(fd) ? -1 : REAL(fdatasync)(fd); }
