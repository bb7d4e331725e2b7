#pragma once
// Not with _GNU_SOURCE: types of the system's headers would differ from those of other modules.
#include <malloc.h>
#include <pty.h>
#include <signal.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <sysexits.h>

/// Lets the disk begin with a part of a file; Linux only.
void ink_begin_sync(int file, __off64_t offset, __off64_t count);

/// Has the calling thread's heap, where its smaller blocks come from, begin with 42 MiB of huge pages: its memory
/// is then had in pieces of 2 MiB, not of 4 KiB, each of whose first touch interrupts it. Nothing is resident before it is
/// used. No more than a hint, whatever allocator there is. A second call of a thread does nothing.
void ink_use_huge_pages(void);

/// Puts the processors that the calling thread may use into `out`, ascending; how many. None on machines of more than 1024.
int ink_allowed_processors(int *out, int count_max);

/// What the program was called with: `*count` texts. Swift's own reads them from /proc, which need not be there.
char **ink_arguments(int *count);

/// Whether a word is among some bytes.
_Bool ink_holds(const void *bytes, unsigned long count, const void *word, unsigned long word_count);

/// The system's number of the calling thread.
int ink_thread_number(void);

/// Names the calling thread in the system's lists, which take 15 bytes of it.
void ink_name_thread(const char *name);

/// Lets this process get a signal when its parent ends, and also when only the parent's thread that started it does. Returns
/// 0, or -1 with errno.
int ink_signal_with_parent(int number);

/// Gives the calling thread a table of descriptors of its own, with none but these, ascending, in it. Returns 0, or -1 with
/// errno where the system does not know how.
int ink_keep_only_files(const int *files, long count);

/// Whether this process has a thread of that number, also one that has just ended and still counts against limits.
int ink_is_thread(int number);

/// Has the process say so and leave with EX_OSERR where it ends by a signal of its own since it is refused memory: allocators
/// abort then, and what goes on without its memory is ended by the processor. Without such need those signals do what they
/// always do.
void ink_explain_exhaustion(void);

/// For calls into a library that aborts where it is refused something by the system: says so in the program's own words.
/// Until `ink_end_abort_words`, of the calling thread alone; two threads must not do so at a time.
void ink_begin_abort_words(const char *words, int exit_status, struct sigaction *before);

void ink_end_abort_words(const struct sigaction *before);

/// Takes or gives back a lease on an open file: F_RDLCK or F_UNLCK (fcntl(2), F_SETLEASE). Returns 0, or -1 with errno: EAGAIN
/// while another process has the file open for writing.
int ink_set_lease(int file, int kind);

/// Renames a file to a name that nothing has. Returns 0, or -1 with errno: EEXIST when something has it, EINVAL or ENOSYS
/// where the file system does not know how.
int ink_rename_to_new(const char *path, const char *target);

/// Exchanges what two paths name, in one step where the file system can, else in two. Returns 0, or -1 with errno.
int ink_rename_exchange(const char *path, const char *target);

/// Writes everything of the file system that a folder lies in to the disk. Returns 0, or -1 with errno.
int ink_sync_file_system(const char *folder);

/// What a file was given when it was made, and no copy of it has: its inode's number, its birth in nanoseconds since 1970, and
/// the generation of its inode's number. 0 for what the file system does not keep. Returns 0, or -1 with errno.
int ink_file_origin(int file, uint64_t *inode, uint64_t *birth, uint64_t *generation);
