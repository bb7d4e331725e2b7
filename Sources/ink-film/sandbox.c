// Confinement: what comes in is foreign, and the libraries that read it are large.
#include "film.h"

#include <errno.h>
#include <malloc.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <seccomp.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

static void limit(int which, uint64_t most) {
    struct rlimit old, new = {most, most};
    if (getrlimit(which, &old)) fail(EXIT_INTERNAL, "limits cannot be read");
    if (old.rlim_max != RLIM_INFINITY && old.rlim_max < most) new.rlim_cur = new.rlim_max = old.rlim_max;
    if (setrlimit(which, &new)) fail(EXIT_INTERNAL, "limits cannot be set: %s", strerror(errno));
}

// Ends this process when the parent's end of the socket closes, as it does when the parent dies. The kernel's own
// signal
// for that (PR_SET_PDEATHSIG) comes when the thread that started the process ends, and workers' threads end often.
static void *watch(void *unused) {
    (void)unused;
    struct pollfd socket = {SOCKET_DESCRIPTOR, POLLRDHUP, 0};
    while (poll(&socket, 1, -1) < 0 && errno == EINTR) {}
    if (!has_answered) _exit(EXIT_INTERNAL);
    return NULL;
}

static const int allowed[] = {
    SCMP_SYS(read), SCMP_SYS(write), SCMP_SYS(readv), SCMP_SYS(writev), SCMP_SYS(pread64), SCMP_SYS(pwrite64),
    SCMP_SYS(lseek), SCMP_SYS(fstat), SCMP_SYS(newfstatat), SCMP_SYS(close), SCMP_SYS(ftruncate), SCMP_SYS(fsync),
    SCMP_SYS(fdatasync), SCMP_SYS(recvfrom), SCMP_SYS(recvmsg), SCMP_SYS(sendto), SCMP_SYS(sendmsg), SCMP_SYS(poll),
    SCMP_SYS(ppoll), SCMP_SYS(mmap), SCMP_SYS(munmap), SCMP_SYS(mprotect), SCMP_SYS(mremap), SCMP_SYS(madvise),
    SCMP_SYS(brk), SCMP_SYS(futex), SCMP_SYS(set_robust_list), SCMP_SYS(get_robust_list), SCMP_SYS(rseq),
    SCMP_SYS(sched_yield), SCMP_SYS(sched_getaffinity), SCMP_SYS(sched_setaffinity), SCMP_SYS(sched_getparam),
    SCMP_SYS(sched_getscheduler), SCMP_SYS(sched_get_priority_min), SCMP_SYS(sched_get_priority_max),
    SCMP_SYS(getcpu), SCMP_SYS(gettid), SCMP_SYS(getpid), SCMP_SYS(rt_sigaction), SCMP_SYS(rt_sigprocmask),
    SCMP_SYS(rt_sigreturn), SCMP_SYS(sigaltstack), SCMP_SYS(tgkill), SCMP_SYS(clock_gettime), SCMP_SYS(clock_getres),
    SCMP_SYS(clock_nanosleep), SCMP_SYS(nanosleep), SCMP_SYS(gettimeofday), SCMP_SYS(getrusage), SCMP_SYS(getrandom),
    SCMP_SYS(sysinfo), SCMP_SYS(restart_syscall), SCMP_SYS(exit), SCMP_SYS(exit_group),
};

void enter_sandbox(void) {
    uint64_t memory = (uint64_t)number_setting("memory", 512 << 20, 1 << 20, INT64_MAX >> 1);
    uint64_t seconds = (uint64_t)number_setting("cpu", 3600, 1, 1 << 30);
    // The limit counts address space: SVT-AV1 starts some sixty threads, each with a stack and a heap of its own.
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 2 << 20);
    if (pthread_setattr_default_np(&attributes)) fail(EXIT_INTERNAL, "the stacks of threads cannot be limited");
    pthread_attr_destroy(&attributes);
    mallopt(M_ARENA_MAX, 2);
    pthread_t watcher;
    if (pthread_create(&watcher, NULL, watch, NULL)) fail(EXIT_MEMORY, "a thread cannot be started");
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_CPU, seconds);
    limit(RLIMIT_AS, memory + (512 << 20));
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)) fail(EXIT_INTERNAL, "privileges cannot be given up");
    if (!strcmp(setting("sandbox", "on"), "off")) return;
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ERRNO(EPERM));
    int error = filter ? 0 : -ENOMEM;
    // The thread that watches is under the filter as well.
    if (!error) error = seccomp_attr_set(filter, SCMP_FLTATR_CTL_TSYNC, 1);
    for (size_t i = 0; !error && i < sizeof allowed / sizeof *allowed; i++)
        error = seccomp_rule_add(filter, SCMP_ACT_ALLOW, allowed[i], 0);
    // Threads, no processes. The newer call hides its flags behind a pointer; C libraries fall back to the older one.
    if (!error)
        error = seccomp_rule_add(
            filter, SCMP_ACT_ALLOW, SCMP_SYS(clone), 1, SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_THREAD, CLONE_THREAD));
    if (!error) error = seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0);
    // Names of threads.
    if (!error) error = seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(prctl), 1, SCMP_A0(SCMP_CMP_EQ, PR_SET_NAME));
    if (!error) error = seccomp_load(filter);
    if (error)
        fail(EXIT_CODEC, "this system has no seccomp (%s), so films are refused; film-sandbox = off allows them",
             strerror(-error));
    seccomp_release(filter);
}
