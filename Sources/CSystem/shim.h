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
#include <sys/mman.h>
#include <unistd.h>

/// Lets the disk begin with a part of a file; Linux only, and not in every header.
extern int sync_file_range(int file, __off64_t offset, __off64_t count, unsigned int flags);

static inline void ink_begin_sync(int file, __off64_t offset, __off64_t count) {
    sync_file_range(file, offset, count, 2 /* SYNC_FILE_RANGE_WRITE */);
}

/// Has the calling thread's heap, where its smaller blocks come from, begin with 42 MiB of huge pages: its memory
/// is then had in pieces of 2 MiB, not of 4 KiB, each of whose first touch interrupts it. Nothing is resident before it is
/// used. No more than a hint, whatever allocator there is.
static inline void ink_use_huge_pages(void) {
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
