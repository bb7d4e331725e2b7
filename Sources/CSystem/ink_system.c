#define _GNU_SOURCE
#include "CSystem.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

void ink_begin_sync(int file, __off64_t offset, __off64_t count) {
    sync_file_range(file, offset, count, 2 /* SYNC_FILE_RANGE_WRITE */);
}

void ink_use_huge_pages(void) {
    static _Thread_local int is_done;
    if (is_done) return;
    is_done = 1;
    // HEAP_MAX_SIZE of glibc's arena.c: a thread's heap lies at a multiple of it and is no larger.
    const uintptr_t heap_bytes = (uintptr_t)64 << 20;
    // By itself a heap grows by as much as a block needs, which no huge page fits. Larger blocks are not in heaps
    // (`ProcessMemory`).
    const size_t block_bytes = (size_t)7 << 20;
    enum { count = 6 };
    void *volatile blocks[count];
    for (int i = 0; i < count; i++) blocks[i] = malloc(block_bytes);
    if (blocks[0]) madvise((void *)((uintptr_t)blocks[0] & ~(heap_bytes - 1)), heap_bytes, MADV_HUGEPAGE);
    for (int i = 0; i < count; i++) free(blocks[i]);
}

int ink_allowed_processors(int *out, int count_max) {
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return 0;
    int count = 0;
    for (int i = 0; i < CPU_SETSIZE && count < count_max; i++) {
        if (CPU_ISSET(i, &allowed)) out[count++] = i;
    }
    return count;
}

static int argument_count;
static char **arguments;

// glibc gives it to all that runs before `main`.
__attribute__((constructor)) static void ink_keep_arguments(int count, char **texts) {
    argument_count = count;
    arguments = texts;
}

char **ink_arguments(int *count) {
    *count = argument_count;
    return arguments;
}

int ink_thread_number(void) { return gettid(); }

void ink_name_thread(const char *name) { prctl(PR_SET_NAME, name); }

int ink_signal_with_parent(int number) { return prctl(PR_SET_PDEATHSIG, number); }

int ink_keep_only_files(const int *files, long count) {
    // CLOSE_RANGE_UNSHARE of linux/close_range.h, which does not go with every header.
    const unsigned int unshare = 1u << 1;
    unsigned int first = 0;
    for (long i = 0; i < count; i++) {
        const unsigned int file = (unsigned int)files[i];
        if (file > first && syscall(SYS_close_range, first, file - 1, unshare) != 0) return -1;
        first = file + 1;
    }
    return (int)syscall(SYS_close_range, first, ~0u, unshare);
}

int ink_is_thread(int number) {
    return syscall(SYS_tgkill, getpid(), number, 0) == 0;
}

// See `ink_explain_exhaustion`. Nothing but system calls.
static void ink_on_fatal_signal(int number) {
    static const char words[] =
        "ink: error: out of memory: the system gives this process no more; raise its limit (ulimit -v, ulimit -d), or use fewer "
        "threads\n";
    // Little room is left, less than a picture's buffers may want: then that is why.
    void *room = mmap(NULL, (size_t)256 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (room == MAP_FAILED && errno == ENOMEM) {
        ssize_t written = write(STDERR_FILENO, words, sizeof words - 1);
        (void)written;
        _exit(EX_OSERR);
    }
    signal(number, SIG_DFL);
    raise(number);
}

void ink_explain_exhaustion(void) {
    const int numbers[] = {SIGABRT, SIGILL, SIGTRAP, SIGSEGV, SIGBUS};
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = ink_on_fatal_signal;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) sigaction(numbers[i], &action, NULL);
}

// While `*words` is not NULL, `abort` called by this thread writes them to standard error and ends the process with `*status`.
// Other threads' calls end it as always.
static const char **ink_abort_words(int **status) {
    static _Thread_local const char *words;
    static _Thread_local int exit_status;
    *status = &exit_status;
    return &words;
}

static void ink_on_abort(int number) {
    (void)number;
    int *status;
    const char *words = *ink_abort_words(&status);
    // Returning from the handler leaves `abort` to do what it does.
    if (!words) return;
    if (write(STDERR_FILENO, words, strlen(words)) < 0) _exit(*status);
    _exit(*status);
}

void ink_begin_abort_words(const char *words, int exit_status, struct sigaction *before) {
    int *status;
    const char **place = ink_abort_words(&status);
    *status = exit_status;
    *place = words;
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = ink_on_abort;
    sigaction(SIGABRT, &action, before);
}

void ink_end_abort_words(const struct sigaction *before) {
    int *status;
    sigaction(SIGABRT, before, NULL);
    *ink_abort_words(&status) = NULL;
}

int ink_set_lease(int file, int kind) { return fcntl(file, F_SETLEASE, kind); }

int ink_rename_to_new(const char *path, const char *target) {
    return renameat2(AT_FDCWD, path, AT_FDCWD, target, RENAME_NOREPLACE);
}

int ink_rename_exchange(const char *path, const char *target) {
    if (renameat2(AT_FDCWD, path, AT_FDCWD, target, RENAME_EXCHANGE) == 0) return 0;
    if (errno != EINVAL && errno != ENOSYS) return -1;
    char aside[4096];
    if ((size_t)snprintf(aside, sizeof aside, "%s.old", path) >= sizeof aside) {
        errno = ENAMETOOLONG;
        return -1;
    }
    if (rename(target, aside) != 0) return -1;
    if (rename(path, target) == 0) return 0;
    int failure = errno;
    rename(aside, target);
    errno = failure;
    return -1;
}

int ink_sync_file_system(const char *folder) {
    int file = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (file < 0) return -1;
    int result = syncfs(file);
    int failure = errno;
    close(file);
    errno = failure;
    return result;
}

int ink_file_origin(int file, uint64_t *inode, uint64_t *birth, uint64_t *generation) {
    struct statx status;
    if (statx(file, "", AT_EMPTY_PATH, STATX_INO | STATX_BTIME, &status) != 0) return -1;
    *inode = status.stx_ino;
    *birth = 0;
    if (status.stx_mask & STATX_BTIME)
        *birth = (uint64_t)status.stx_btime.tv_sec * 1000000000u + status.stx_btime.tv_nsec;
    // FS_IOC_GETVERSION of linux/fs.h, which does not go with every header. It writes an int, whatever it says.
    unsigned long version = 0;
    *generation = ioctl(file, _IOR('v', 1, long), &version) == 0 ? (uint32_t)version : 0;
    return 0;
}

_Bool ink_holds(const void *bytes, unsigned long count, const void *word, unsigned long word_count) {
    return memmem(bytes, count, word, word_count) != NULL;
}
