#include "ink_lazy.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

typedef struct {
    void *function;
    const char *name;
    const char *library;
    const char *package;
} ink_lazy_entry;

// Of ink_lazy.S.
extern ink_lazy_entry ink_lazy_entries[] __attribute__((visibility("hidden")));
extern ink_lazy_entry ink_lazy_entries_end[] __attribute__((visibility("hidden")));
void ink_lazy_find(ink_lazy_entry *entry) __attribute__((visibility("hidden")));

// As a program that the loader refuses to start.
enum { exit_code = 127 };

// Called from several threads at once, all find the same.
void ink_lazy_find(ink_lazy_entry *entry) {
    // The function may be one that reads it.
    const int number = errno;
    void *library = dlopen(entry->library, RTLD_LAZY | RTLD_LOCAL);
    void *function = library == NULL ? NULL : dlsym(library, entry->name);
    if (function == NULL) {
        fprintf(stderr, "ink: error: %s (package %s)\n", dlerror(), entry->package);
        _exit(exit_code);
    }
    __atomic_store_n(&entry->function, function, __ATOMIC_RELEASE);
    errno = number;
}

void ink_lazy_load_all(void) {
    for (ink_lazy_entry *entry = ink_lazy_entries; entry != ink_lazy_entries_end; entry++) ink_lazy_find(entry);
}
