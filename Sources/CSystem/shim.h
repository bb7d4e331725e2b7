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

/// Asks for huge pages for the heap that the calling thread's smaller blocks come from: its memory is had in pieces of 2 MiB,
/// not of 4 KiB, each of whose first touch interrupts it. A hint; nothing where glibc's heaps look otherwise.
static inline void ink_use_huge_pages(void) {
    // HEAP_MAX_SIZE of glibc's arena.c: a thread's heap lies at a multiple of it and is no larger.
    const uintptr_t heap_bytes = (uintptr_t)64 << 20;
    void *volatile block = malloc(1);
    if (!block) return;
    madvise((void *)((uintptr_t)block & ~(heap_bytes - 1)), heap_bytes, MADV_HUGEPAGE);
    free(block);
}
