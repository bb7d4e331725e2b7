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

/// Lets the disk begin with a part of a file; Linux only, and not in every header.
extern int sync_file_range(int file, __off64_t offset, __off64_t count, unsigned int flags);

static inline void ink_begin_sync(int file, __off64_t offset, __off64_t count) {
    sync_file_range(file, offset, count, 2 /* SYNC_FILE_RANGE_WRITE */);
}
