#include "film.h"

#include <libavutil/cpu.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct { const char *name; void (*run)(void); } verbs[] = {
    {"probe", run_probe}, {"cut", run_cut}, {"piece", run_piece}, {"join", run_join}, {"raster", run_raster},
};

// Files of the libraries that encode and scale: their names have the versions.
static int print_library(struct dl_phdr_info *library, size_t size, void *unused) {
    (void)size, (void)unused;
    static const char *const names[] = {"libx264", "libx265", "libSvtAv1Enc", "libaom", "libswscale", "libavfilter"};
    char path[PATH_MAX];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strstr(library->dlpi_name, names[i]) && realpath(library->dlpi_name, path))
            printf("%s %s\n", names[i], strrchr(path, '/') + 1);
    return 0;
}

// Versions and encoders, for `ink doctor` and for the crew: other versions give other bytes.
static void print_versions(void) {
    static const char *const encoders[] = {"libx264", "libx265", "libsvtav1", "libaom-av1", "aac"};
    printf("libavformat %u\nlibavcodec %u\n", avformat_version(), avcodec_version());
    dl_iterate_phdr(print_library, NULL);
    // x264 gives other bytes where these are missing.
    printf("ssse3 %s\n", av_get_cpu_flags() & AV_CPU_FLAG_SSSE3 ? "yes" : "no");
    for (size_t i = 0; i < sizeof encoders / sizeof *encoders; i++)
        printf("%s %s\n", encoders[i], avcodec_find_encoder_by_name(encoders[i]) ? "yes" : "no");
}

int main(int count, char **arguments) {
    if (count == 2 && !strcmp(arguments[1], "versions")) return print_versions(), 0;
    for (size_t i = 0; count == 2 && i < sizeof verbs / sizeof *verbs; i++) {
        if (strcmp(arguments[1], verbs[i].name)) continue;
        keep_log();
        read_settings();
        enter_sandbox();
        verbs[i].run();
        _exit(0);
    }
    fputs("ink-film is started by ink: ink-film probe|cut|piece|join|raster|versions\n", stderr);
    return EXIT_ARGUMENT;
}
