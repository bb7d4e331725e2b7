// Messages: four bytes of type, four of length, a body; all numbers little-endian. Sizes are checked before memory is
// taken.
#include "film.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

void *need(void *memory) {
    if (!memory) fail(EXIT_MEMORY, "not enough memory");
    return memory;
}

void put_raw(Buffer *buffer, const void *bytes, size_t size) {
    if (buffer->room - buffer->size < size) {
        size_t room = buffer->room * 2 > buffer->size + size ? buffer->room * 2 : buffer->size + size + 256;
        buffer->data = need(realloc(buffer->data, room));
        buffer->room = room;
    }
    if (size) memcpy(buffer->data + buffer->size, bytes, size);
    buffer->size += size;
}

static void put_number(Buffer *buffer, uint64_t value, int size) {
    uint8_t bytes[8];
    for (int i = 0; i < size; i++) bytes[i] = (uint8_t)(value >> (8 * i));
    put_raw(buffer, bytes, (size_t)size);
}

void put8(Buffer *buffer, uint32_t value) { put_number(buffer, value, 1); }
void put16(Buffer *buffer, uint32_t value) { put_number(buffer, value, 2); }
void put32(Buffer *buffer, uint32_t value) { put_number(buffer, value, 4); }
void put64(Buffer *buffer, uint64_t value) { put_number(buffer, value, 8); }

void put_bytes(Buffer *buffer, const void *bytes, size_t size) {
    put32(buffer, (uint32_t)size);
    put_raw(buffer, bytes, size);
}

void put_text(Buffer *buffer, const char *text) { put_bytes(buffer, text ? text : "", text ? strlen(text) : 0); }

const uint8_t *get_raw(Reader *reader, size_t size) {
    if (reader->failed || (size_t)(reader->end - reader->at) < size) {
        reader->failed = true;
        return NULL;
    }
    const uint8_t *bytes = reader->at;
    reader->at += size;
    return bytes;
}

static uint64_t get_number(Reader *reader, int size) {
    const uint8_t *bytes = get_raw(reader, (size_t)size);
    uint64_t value = 0;
    for (int i = 0; bytes && i < size; i++) value |= (uint64_t)bytes[i] << (8 * i);
    return value;
}

uint32_t get8(Reader *reader) { return (uint32_t)get_number(reader, 1); }
uint32_t get16(Reader *reader) { return (uint32_t)get_number(reader, 2); }
uint32_t get32(Reader *reader) { return (uint32_t)get_number(reader, 4); }
uint64_t get64(Reader *reader) { return get_number(reader, 8); }

const uint8_t *get_bytes(Reader *reader, size_t most, size_t *size) {
    *size = get32(reader);
    if (*size > most) reader->failed = true;
    return get_raw(reader, *size);
}

char *get_text(Reader *reader, size_t most) {
    size_t size;
    const uint8_t *bytes = get_bytes(reader, most, &size);
    return bytes ? need(strndup((const char *)bytes, size)) : NULL;
}

// The other side is gone: nobody wants what this process makes.
_Noreturn static void lost(void) { _exit(EXIT_INTERNAL); }

static void write_all(const void *bytes, size_t size) {
    for (const uint8_t *at = bytes; size;) {
        ssize_t written = send(SOCKET_DESCRIPTOR, at, size, MSG_NOSIGNAL);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) lost();
        at += written;
        size -= (size_t)written;
    }
}

static void read_all(void *bytes, size_t size) {
    for (uint8_t *at = bytes; size;) {
        ssize_t got = read(SOCKET_DESCRIPTOR, at, size);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) lost();
        at += got;
        size -= (size_t)got;
    }
}

atomic_bool has_answered;

void send_message(enum Message type, Buffer *body) {
    if (type == DONE || type == FAILURE || type == LEAD_IN) has_answered = true;
    Buffer head = {0};
    put32(&head, type);
    put32(&head, body ? (uint32_t)body->size : 0);
    write_all(head.data, head.size);
    if (body) write_all(body->data, body->size);
    free(head.data);
}

static size_t most_of(enum Message type) {
    switch (type) {
    case SETTINGS: return 64 << 10;
    case HEADER: return LARGEST_HEADER;
    case ROWS: case BYTES: return 4 << 20;
    case BLOCK: return LARGEST_BLOCK;
    case CODEC: return 1 << 20;
    default: return 256;
    }
}

Reader receive_message(enum Message *type) {
    static Buffer body;
    uint8_t head[8];
    read_all(head, sizeof head);
    Reader reader = {head, head + 8, false};
    *type = get32(&reader);
    size_t size = get32(&reader);
    if (size > most_of(*type)) fail(EXIT_INTERNAL, "a message of type %d with %zu bytes is too large", *type, size);
    body.size = 0;
    if (body.room < size || body.room > (8 << 20)) {
        free(body.data);
        body.data = need(malloc(size + 1));
        body.room = size + 1;
    }
    read_all(body.data, size);
    return (Reader){body.data, body.data + size, false};
}

// libav's own messages, kept for the cause of a failure.
static char log_lines[8192];
static size_t log_size;
static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;

static void take_log(void *context, int level, const char *format, va_list arguments) {
    if (level > AV_LOG_ERROR) return;
    char line[512];
    int prefix = 1;
    av_log_format_line(context, level, format, arguments, line, sizeof line, &prefix);
    pthread_mutex_lock(&log_lock);
    size_t size = strlen(line);
    if (log_size + size < sizeof log_lines) {
        memcpy(log_lines + log_size, line, size + 1);
        log_size += size;
    }
    pthread_mutex_unlock(&log_lock);
}

void keep_log(void) { av_log_set_callback(take_log); }
bool log_has(const char *words) { return strstr(log_lines, words) != NULL; }

_Noreturn static void fail_with(int code, const char *text, const char *cause) {
    Buffer body = {0};
    put32(&body, (uint32_t)code);
    put_text(&body, text);
    put_text(&body, cause);
    send_message(FAILURE, &body);
    _exit(code);
}

void fail(int code, const char *format, ...) {
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fail_with(code, text, log_lines);
}

void fail_av(int code, int error, const char *format, ...) {
    char text[1024], cause[9216], words[128];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    av_strerror(error, words, sizeof words);
    snprintf(cause, sizeof cause, "%s\n%s", words, log_lines);
    fail_with(error == AVERROR(ENOMEM) ? EXIT_MEMORY : code, text, cause);
}

void warn(const char *kind, const char *format, ...) {
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    Buffer body = {0};
    put_text(&body, kind);
    put_text(&body, text);
    send_message(WARNING, &body);
    free(body.data);
}

int64_t cpu_time(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

// At most four a second: each renews the lease of the piece.
void progress(uint64_t done, uint64_t total) {
    static struct timespec last;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (done < total && (now.tv_sec - last.tv_sec) * 1000 + (now.tv_nsec - last.tv_nsec) / 1000000 < 250) return;
    last = now;
    Buffer body = {0};
    put64(&body, done);
    put64(&body, total);
    send_message(PROGRESS, &body);
    free(body.data);
}

static struct { char *key, *value; } settings[64];
static int setting_count;

void read_settings(void) {
    enum Message type;
    Reader reader = receive_message(&type);
    uint32_t count = get32(&reader);
    if (type != SETTINGS || count > 64) fail(EXIT_INTERNAL, "the first message is not the settings");
    for (uint32_t i = 0; i < count; i++) {
        settings[i].key = get_text(&reader, 64);
        settings[i].value = get_text(&reader, 4096);
        if (reader.failed) fail(EXIT_INTERNAL, "the settings are not sound");
        setting_count++;
    }
}

const char *setting(const char *key, const char *otherwise) {
    for (int i = 0; i < setting_count; i++)
        if (!strcmp(settings[i].key, key)) return settings[i].value;
    return otherwise;
}

int64_t number_setting(const char *key, int64_t otherwise, int64_t least, int64_t most) {
    const char *text = setting(key, NULL);
    if (!text) return otherwise;
    char *end;
    errno = 0;
    int64_t value = strtoll(text, &end, 10);
    if (errno || end == text || *end || value < least || value > most)
        fail(EXIT_ARGUMENT, "%s: %s is not a number from %" PRId64 " to %" PRId64, key, text, least, most);
    return value;
}

void put_packet(Buffer *buffer, int track, const AVPacket *packet) {
    put16(buffer, (uint32_t)track);
    put64(buffer, (uint64_t)packet->pts);
    put64(buffer, (uint64_t)packet->dts);
    put64(buffer, (uint64_t)packet->duration);
    put32(buffer, (uint32_t)packet->flags);
    put8(buffer, (uint32_t)packet->side_data_elems);
    for (int i = 0; i < packet->side_data_elems; i++) {
        put16(buffer, packet->side_data[i].type);
        put_bytes(buffer, packet->side_data[i].data, packet->side_data[i].size);
    }
    put_bytes(buffer, packet->data, (size_t)packet->size);
}

bool get_packet(Reader *reader, int *track, AVPacket *packet) {
    av_packet_unref(packet);
    *track = (int)get16(reader);
    packet->pts = (int64_t)get64(reader);
    packet->dts = (int64_t)get64(reader);
    packet->duration = (int64_t)get64(reader);
    packet->flags = (int)get32(reader);
    uint32_t sides = get8(reader);
    for (uint32_t i = 0; i < sides && !reader->failed; i++) {
        size_t size;
        uint32_t type = get16(reader);
        const uint8_t *bytes = get_bytes(reader, 1 << 20, &size);
        if (!bytes || type >= AV_PKT_DATA_NB) return reader->failed = true, false;
        uint8_t *copy = av_packet_new_side_data(packet, type, size);
        if (size) memcpy(need(copy), bytes, size);
    }
    size_t size;
    const uint8_t *bytes = get_bytes(reader, LARGEST_PACKET, &size);
    if (!bytes) return false;
    AVPacket *holder = need(av_packet_alloc());
    if (av_new_packet(holder, (int)size)) need(NULL);
    memcpy(holder->data, bytes, size);
    packet->buf = holder->buf;
    packet->data = holder->data;
    packet->size = holder->size;
    holder->buf = NULL;
    av_packet_free(&holder);
    return true;
}

void block_flush(BlockWriter *writer, bool last) {
    if (!writer->count && !last) return;
    Buffer body = {0};
    put8(&body, (uint32_t)writer->kind);
    put8(&body, last);
    put64(&body, writer->first);
    put32(&body, writer->count);
    put_raw(&body, writer->body.data, writer->body.size);
    send_message(BLOCK, &body);
    free(body.data);
    writer->first += writer->count;
    writer->count = 0;
    writer->body.size = 0;
}

// Blocks begin at keyframes, and after a megabyte or 256 packets.
void block_add(BlockWriter *writer, int track, const AVPacket *packet, bool starts_anew) {
    if (packet->size > LARGEST_PACKET) fail(EXIT_FILM, "a packet of %d bytes is too large", packet->size);
    if (starts_anew || writer->body.size > (1 << 20) || writer->count >= 256
        || writer->body.size + (size_t)packet->size > LARGEST_PACKET)
        block_flush(writer, false);
    put_packet(&writer->body, track, packet);
    writer->count++;
}
