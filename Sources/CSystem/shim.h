#pragma once
#define _GNU_SOURCE
#include <sched.h>
#include <sys/eventfd.h>
#include <sys/statvfs.h>
#include <sys/ioctl.h>
#include <poll.h>
#include <fcntl.h>
#include <errno.h>
#include <malloc.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/// Lets the disk begin with a part of a file; Linux only, and not in every header.
extern int sync_file_range(int file, __off64_t offset, __off64_t count, unsigned int flags);

static inline void ink_begin_sync(int file, __off64_t offset, __off64_t count) {
    sync_file_range(file, offset, count, 2 /* SYNC_FILE_RANGE_WRITE */);
}

/// Has the calling thread's heap, where its smaller blocks come from, begin with 42 MiB of huge pages: its memory
/// is then had in pieces of 2 MiB, not of 4 KiB, each of whose first touch interrupts it. Nothing is resident before it is
/// used. No more than a hint, whatever allocator there is. A second call of a thread does nothing, mostly: modules that
/// import this do not know of each other's.
static inline void ink_use_huge_pages(void) {
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

/// Puts the processors that the calling thread may use into `out`, ascending; how many. None on machines of more than 1024.
static inline int ink_allowed_processors(int *out, int count_max) {
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return 0;
    int count = 0;
    for (int i = 0; i < CPU_SETSIZE && count < count_max; i++) {
        if (CPU_ISSET(i, &allowed)) out[count++] = i;
    }
    return count;
}

/// Moves the calling thread to a processor, from which the system may move it again. No more than a hint.
static inline void ink_move_to_processor(int processor) {
    cpu_set_t allowed, one;
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return;
    CPU_ZERO(&one);
    CPU_SET(processor, &one);
    if (sched_setaffinity(0, sizeof one, &one) != 0) return;
    if (sched_setaffinity(0, sizeof allowed, &allowed) == 0) return;
    // What it might use has changed in between: then all that the system lets it.
    memset(&allowed, 0xFF, sizeof allowed);
    sched_setaffinity(0, sizeof allowed, &allowed);
}

/// Has the calling thread wait for a moment of rest when it is woken, where it would interrupt others (sched(7),
/// SCHED_BATCH). It gets as much time as before. No more than a hint.
static inline void ink_interrupt_nobody(void) {
    const struct sched_param none = {0};
    if (sched_getscheduler(0) == SCHED_OTHER) sched_setscheduler(0, SCHED_BATCH, &none);
}
