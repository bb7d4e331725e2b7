#define _GNU_SOURCE
#include "ink_svg.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// What is used of the libraries' interfaces, which are stable since librsvg 2.46.
typedef struct {
    uint32_t domain;
    int code;
    char *message;
} glib_error;

typedef struct {
    double x, y, width, height;
} rsvg_rectangle;

enum { cairo_format_argb32 = 0, cairo_status_success = 0 };
// A surface of cairo ends at 32,767 pixels; and a gradient's error grows along a row, by up to 1/512 of its colours in so
// many pixels.
enum { strip_width_max = 1024 };
enum { band_bytes_max = 32 << 20, rows_step = 64 };

static struct {
    int is_whole;
    char version[32];
    void *(*rsvg_handle_new_from_data)(const uint8_t *, size_t, glib_error **);
    void (*rsvg_handle_set_dpi)(void *, double);
    void (*g_object_unref)(void *);
    int (*rsvg_handle_render_document)(void *, void *, const rsvg_rectangle *, glib_error **);
    void *(*cairo_image_surface_create_for_data)(unsigned char *, int, int, int, int);
    void (*cairo_surface_flush)(void *);
    void (*cairo_surface_destroy)(void *);
    void *(*cairo_create)(void *);
    void (*cairo_destroy)(void *);
    int (*cairo_status)(void *);
} library;

static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void) {
    void *handle = dlopen("librsvg-2.so.2", RTLD_NOW | RTLD_LOCAL);
    if (handle == NULL) return;
    int found = 1;
    // Those of cairo are found among what librsvg itself has loaded.
#define FIND(name) found &= (*(void **)(void *)&library.name = dlsym(handle, #name)) != NULL
    FIND(rsvg_handle_new_from_data);
    FIND(rsvg_handle_set_dpi);
    FIND(g_object_unref);
    FIND(rsvg_handle_render_document);
    FIND(cairo_image_surface_create_for_data);
    FIND(cairo_surface_flush);
    FIND(cairo_surface_destroy);
    FIND(cairo_create);
    FIND(cairo_destroy);
    FIND(cairo_status);
#undef FIND
    const unsigned *major = dlsym(handle, "rsvg_major_version"), *minor = dlsym(handle, "rsvg_minor_version"),
                   *micro = dlsym(handle, "rsvg_micro_version");
    if (major != NULL && minor != NULL && micro != NULL) {
        snprintf(library.version, sizeof library.version, "%u.%u.%u", *major, *minor, *micro);
    }
    library.is_whole = found;
}

int ink_svg_is_present(void) {
    pthread_once(&once, load);
    return library.is_whole;
}

const char *ink_svg_version(void) { return ink_svg_is_present() ? library.version : ""; }

enum { message_bytes = 200 };

// What the drawing process says of a band.
typedef struct {
    int is_drawn;
    char text[message_bytes];
} answer;

struct ink_svg {
    ink_svg_text text;
    ink_svg_raster raster;
    uint32_t band_rows, next_row;
    // Shared with the process that draws.
    uint32_t *band;
    size_t band_bytes;
    pid_t process;
    int socket;
    int64_t deadline;
    char message[256];
};

static int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

ink_svg *ink_svg_open(const ink_svg_text *text, const ink_svg_raster *raster) {
    ink_svg *svg = calloc(1, sizeof *svg);
    if (svg == NULL) return NULL;
    svg->text = *text;
    svg->raster = *raster;
    size_t row = (size_t)raster->part_width * 4;
    size_t rows = band_bytes_max / row / rows_step * rows_step;
    if (rows < rows_step) rows = rows_step;
    if (rows > raster->part_height) rows = raster->part_height;
    svg->band_rows = (uint32_t)rows;
    svg->band_bytes = row * rows;
    svg->socket = -1;
    svg->band = mmap(NULL, svg->band_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (svg->band == MAP_FAILED) {
        free(svg);
        return NULL;
    }
    return svg;
}

// MARK: - In the process that draws

static int say_why(answer *answer, const glib_error *error) {
    snprintf(answer->text, message_bytes, "%s", error != NULL ? error->message : "for an unknown reason");
    return 0;
}

// The edge of the viewport for a window: at least the window's, less than twice of it, and the raster's edge by a power of
// two. The library takes memory for the viewport, often several times, and not for the raster.
static double viewport_edge(uint32_t raster, uint32_t window) {
    double edge = raster;
    while (edge / 2 >= window) edge /= 2;
    return edge;
}

static size_t append(uint8_t *text, size_t at, const void *piece, size_t count) {
    memcpy(text + at, piece, count);
    return at + count;
}

// The document with its view box in a viewport, from which its root is mapped to a window of the raster. The library's
// numbers have 24 bits; what it multiplies by is a power of two where the document is not squeezed, and the window's corner
// is whole.
static void *open_window(
    const ink_svg *svg, uint32_t x, uint32_t y, const rsvg_rectangle *viewport, answer *answer) {
    const ink_svg_raster *raster = &svg->raster;
    const double *map = raster->map;
    char place[512];
    // Whatever the document's style sheets say of its root. The library takes no transform that is important.
    size_t length = (size_t)snprintf(
        place, sizeof place,
        "width:%.17gpx!important;height:%.17gpx!important;overflow:visible!important;"
        "transform:matrix(%.17g,%.17g,%.17g,%.17g,%.17g,%.17g);",
        raster->width, raster->height, map[0] / viewport->width, map[1] / viewport->width, map[2] / viewport->height,
        map[3] / viewport->height, map[4] - x, map[5] - y);
    static const char tag_end[] = "\" preserveAspectRatio=\"none\">";
    const ink_svg_text *from = &svg->text;
    uint8_t *text = malloc(from->count + 2 * length + sizeof tag_end + 1);
    if (text == NULL) return NULL;
    // Before the root's own style, which may be cut off by a mistake in it, and behind it, where the last one counts.
    size_t count = append(text, 0, from->text, from->style_at);
    count = append(text, count, place, length);
    count = append(text, count, from->text + from->style_at, from->content_at - from->style_at);
    count = append(text, count, ";", 1);
    count = append(text, count, place, length);
    count = append(text, count, tag_end, sizeof tag_end - 1);
    count = append(text, count, from->text + from->content_at, from->count - from->content_at);
    glib_error *error = NULL;
    void *document = library.rsvg_handle_new_from_data(text, count, &error);
    free(text);
    if (document == NULL) {
        say_why(answer, error);
    } else {
        library.rsvg_handle_set_dpi(document, 96);
    }
    return document;
}

static int draw_strip(const ink_svg *svg, uint32_t row, uint32_t rows, uint32_t x, answer *answer) {
    const ink_svg_raster *raster = &svg->raster;
    uint32_t width = raster->part_width - x < strip_width_max ? raster->part_width - x : strip_width_max;
    rsvg_rectangle viewport = {
        0, 0, viewport_edge(raster->raster_width, width), viewport_edge(raster->raster_height, rows)};
    void *document = open_window(svg, raster->x + x, raster->y + row, &viewport, answer);
    if (document == NULL) return 0;
    void *surface = library.cairo_image_surface_create_for_data(
        (unsigned char *)(svg->band + x), cairo_format_argb32, (int)width, (int)rows, (int)raster->part_width * 4);
    void *context = library.cairo_create(surface);
    glib_error *error = NULL;
    int is_drawn = library.rsvg_handle_render_document(document, context, &viewport, &error);
    if (!is_drawn) {
        say_why(answer, error);
    } else if (library.cairo_status(context) != cairo_status_success) {
        is_drawn = 0;
        snprintf(answer->text, message_bytes, "cairo's status %d", library.cairo_status(context));
    }
    library.cairo_surface_flush(surface);
    library.cairo_destroy(context);
    library.cairo_surface_destroy(surface);
    library.g_object_unref(document);
    return is_drawn;
}

static void draw_band(const ink_svg *svg, uint32_t row, answer *answer) {
    uint32_t rows = svg->raster.part_height - row < svg->band_rows ? svg->raster.part_height - row : svg->band_rows;
    memset(svg->band, 0, (size_t)rows * svg->raster.part_width * 4);
    answer->is_drawn = 1;
    for (uint32_t x = 0; x < svg->raster.part_width && answer->is_drawn; x += strip_width_max) {
        answer->is_drawn = draw_strip(svg, row, rows, x, answer);
    }
}

// Leaves the process with nothing of the program's but its memory, and with bounds.
static int settle(int socket, uint32_t seconds) {
    for (int number = 1; number < NSIG; number++) signal(number, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    int nothing = open("/dev/null", O_RDWR);
    if (nothing < 0) return 0;
    int own = fcntl(socket, F_DUPFD, 10);
    if (own < 0) return 0;
    for (int descriptor = 0; descriptor < 3; descriptor++) dup2(nothing, descriptor);
    // Without this the program's files and locks would stay open as long as this process lives.
    syscall(SYS_close_range, 3, own - 1, 0);
    syscall(SYS_close_range, own + 1, ~0u, 0);

    struct rlimit limit = {0, 0};
    setrlimit(RLIMIT_CORE, &limit);
    limit.rlim_cur = seconds;
    limit.rlim_max = seconds + 1;
    if (setrlimit(RLIMIT_CPU, &limit) != 0) return 0;
    unsigned long pages = 0;
    int statm = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    char text[64] = "";
    if (statm >= 0 && read(statm, text, sizeof text - 1) > 0) pages = strtoul(text, NULL, 10);
    if (statm >= 0) close(statm);
    if (pages == 0 || getrlimit(RLIMIT_AS, &limit) != 0) return 0;
    rlim_t bytes = (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE) + ((rlim_t)INK_SVG_MEGABYTES << 20);
    if (limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur > bytes) limit.rlim_cur = bytes;
    if (setrlimit(RLIMIT_AS, &limit) != 0) return 0;
    return own;
}

__attribute__((noreturn)) static void draw(const ink_svg *svg, int socket, pid_t parent) {
    // Ends with the thread that waits for it.
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(1);
    socket = settle(socket, svg->raster.seconds);
    if (socket <= 0) _exit(1);
    answer answer = {0, ""};
    for (uint32_t row = 0; row < svg->raster.part_height; row += svg->band_rows) {
        memset(&answer, 0, sizeof answer);
        draw_band(svg, row, &answer);
        char next = 0;
        if (send(socket, &answer, sizeof answer, MSG_NOSIGNAL) != (ssize_t)sizeof answer || !answer.is_drawn) _exit(0);
        if (read(socket, &next, 1) != 1) _exit(0);
    }
    _exit(0);
}

// MARK: - In the program

static const uint32_t *say(ink_svg *svg, const char *text) {
    snprintf(svg->message, sizeof svg->message, "%s", text);
    for (char *c = svg->message; *c != 0; c++) {
        if ((unsigned char)*c < 32 || (unsigned char)*c > 126) *c = '?';
    }
    return NULL;
}

static int start(ink_svg *svg) {
    int sockets[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) != 0) return 0;
    pid_t parent = getpid();
    svg->process = fork();
    if (svg->process == 0) draw(svg, sockets[1], parent);
    close(sockets[1]);
    svg->socket = sockets[0];
    if (svg->process < 0) return 0;
    // Processor time is limited in the process itself; a busy machine may give it to others.
    svg->deadline = now() + 20000 * (int64_t)svg->raster.seconds;
    return 1;
}

// Ends the process, and returns its status.
static int end(ink_svg *svg, int kills) {
    int status = 0;
    if (svg->process > 0) {
        if (kills) kill(svg->process, SIGKILL);
        while (waitpid(svg->process, &status, 0) < 0 && errno == EINTR) {
        }
        svg->process = 0;
    }
    if (svg->socket >= 0) close(svg->socket);
    svg->socket = -1;
    return status;
}

static const uint32_t *say_too_long(ink_svg *svg) {
    char text[64];
    snprintf(text, sizeof text, "drawing it takes longer than %u seconds", svg->raster.seconds);
    return say(svg, text);
}

const uint32_t *ink_svg_read_rows(ink_svg *svg, uint32_t *rows) {
    if (!ink_svg_is_present()) return say(svg, "librsvg is missing");
    if (svg->next_row >= svg->raster.part_height) return say(svg, "it has no more rows");
    if (svg->process == 0 && svg->next_row == 0) {
        if (!start(svg)) return say(svg, "no process can be started for it");
    } else if (send(svg->socket, "", 1, MSG_NOSIGNAL) != 1) {
        return say(svg, "the process that draws it has ended");
    }
    answer answer;
    ssize_t got = 0;
    for (;;) {
        int64_t left = svg->deadline - now();
        struct pollfd wait = {.fd = svg->socket, .events = POLLIN};
        int ready = left > 0 ? poll(&wait, 1, (int)left) : 0;
        if (ready < 0 && errno == EINTR) continue;
        if (ready == 0) {
            end(svg, 1);
            return say_too_long(svg);
        }
        got = recv(svg->socket, &answer, sizeof answer, 0);
        if (got >= 0 || errno != EINTR) break;
    }
    if (got != (ssize_t)sizeof answer) {
        int status = end(svg, 0);
        int number = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
        if (number == 0) return say(svg, "the process that draws it cannot be set up");
        if (number == SIGXCPU) return say_too_long(svg);
        char text[128];
        snprintf(
            text, sizeof text, "librsvg has ended by signal %d; perhaps it takes more than %d MB of memory", number,
            INK_SVG_MEGABYTES);
        return say(svg, text);
    }
    if (!answer.is_drawn) {
        answer.text[message_bytes - 1] = 0;
        end(svg, 0);
        return say(svg, answer.text);
    }
    uint32_t left = svg->raster.part_height - svg->next_row;
    *rows = left < svg->band_rows ? left : svg->band_rows;
    svg->next_row += *rows;
    return svg->band;
}

const char *ink_svg_error(const ink_svg *svg) { return svg->message; }

void ink_svg_close(ink_svg *svg) {
    end(svg, 1);
    munmap(svg->band, svg->band_bytes);
    free(svg);
}

void ink_svg_straighten(const uint32_t *pixels, size_t count, uint8_t *rgba) {
    for (size_t i = 0; i < count; i++) {
        uint32_t pixel = pixels[i], alpha = pixel >> 24;
        for (int channel = 0; channel < 3; channel++) {
            uint32_t value = pixel >> (16 - 8 * channel) & 255;
            if (alpha != 255 && alpha != 0) value = (value * 255 + alpha / 2) / alpha;
            rgba[4 * i + channel] = alpha == 0 ? 0 : (uint8_t)(value < 255 ? value : 255);
        }
        rgba[4 * i + 3] = (uint8_t)alpha;
    }
}
