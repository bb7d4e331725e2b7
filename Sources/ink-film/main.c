#include "film.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const struct { const char *name; void (*run)(void); } verbs[] = {
    {"probe", run_probe}, {"cut", run_cut}, {"piece", run_piece}, {"join", run_join}, {"raster", run_raster},
};

// Versions and encoders, for `ink doctor` and for the crew: other versions give other bytes.
static void print_versions(void) {
    static const char *const encoders[] = {"libx264", "libx265", "libsvtav1", "libaom-av1", "aac"};
    printf("libavformat %u\nlibavcodec %u\n", avformat_version(), avcodec_version());
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
