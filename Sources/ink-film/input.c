// A film's bytes: from a descriptor, or by requests through the socket. Nothing else is ever opened.
#include "film.h"

#include <errno.h>
#include <libavutil/avstring.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct { int descriptor; int64_t at, size; } Source;

enum { IO_SIZE = 256 << 10 };

static int read_descriptor(void *context, uint8_t *bytes, int size) {
    Source *source = context;
    ssize_t got;
    while ((got = pread(source->descriptor, bytes, (size_t)size, source->at)) < 0 && errno == EINTR) {}
    if (got < 0) return AVERROR(errno);
    source->at += got;
    return got ? (int)got : AVERROR_EOF;
}

static int read_requests(void *context, uint8_t *bytes, int size) {
    Source *source = context;
    if (source->at >= source->size) return AVERROR_EOF;
    if (size > source->size - source->at) size = (int)(source->size - source->at);
    Buffer request = {0};
    put64(&request, (uint64_t)source->at);
    put32(&request, (uint32_t)size);
    send_message(ASK_BYTES, &request);
    free(request.data);
    enum Message type;
    Reader answer = receive_message(&type);
    size_t got = (size_t)(answer.end - answer.at);
    if (type != BYTES || got > (size_t)size) fail(EXIT_INTERNAL, "the answer is not the bytes that were asked for");
    if (!got) fail(EXIT_FILE, "the film became shorter while it was read");
    memcpy(bytes, answer.at, got);
    source->at += (int64_t)got;
    return (int)got;
}

static int write_descriptor(void *context, uint8_t *bytes, int size) {
    Source *source = context;
    for (int done = 0; done < size;) {
        ssize_t written = pwrite(source->descriptor, bytes + done, (size_t)(size - done), source->at);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) fail(EXIT_FILE, "the file cannot be written: %s", strerror(errno));
        done += (int)written;
        source->at += written;
    }
    return size;
}

static int64_t seek(void *context, int64_t offset, int whence) {
    Source *source = context;
    int64_t size = source->size >= 0 ? source->size : lseek(source->descriptor, 0, SEEK_END);
    if (whence & AVSEEK_SIZE) return size;
    whence &= ~AVSEEK_FORCE;
    int64_t to = whence == SEEK_SET ? offset : whence == SEEK_CUR ? source->at + offset : size + offset;
    return to < 0 ? AVERROR(EINVAL) : (source->at = to);
}

static AVIOContext *io(int descriptor, int64_t size, bool writes) {
    Source *source = need(calloc(1, sizeof *source));
    *source = (Source){descriptor, 0, size};
    AVIOContext *result = avio_alloc_context(
        need(av_malloc(IO_SIZE)), IO_SIZE, writes, source, descriptor < 0 ? read_requests : read_descriptor,
        writes ? write_descriptor : NULL, seek);
    return need(result);
}

AVIOContext *descriptor_io(int descriptor, bool writes) { return io(descriptor, -1, writes); }

void close_descriptor_io(AVIOContext *context) {
    avio_flush(context);
    free(context->opaque);
    av_freep(&context->buffer);
    avio_context_free(&context);
}

static int open_nothing(AVFormatContext *film, AVIOContext **io, const char *url, int flags, AVDictionary **options) {
    (void)film, (void)io, (void)url, (void)flags, (void)options;
    return AVERROR(EPERM);
}

static bool is_playlist(const char *name) {
    return av_match_list(name, "hls,concat,dash,imf,sdp,rtsp,ass,webvtt,tedcaptions,mpl2,concatf", ',');
}

AVFormatContext *open_film(void) {
    bool requests = !strcmp(setting("input", "descriptor"), "requests");
    int64_t size = number_setting("size", -1, 0, INT64_MAX);
    if (requests && size < 0) fail(EXIT_INTERNAL, "the size of the film is not told");
    AVIOContext *bytes = io(requests ? -1 : INPUT_DESCRIPTOR, size, false);
    const AVInputFormat *format = NULL;
    int error = av_probe_input_buffer2(bytes, &format, "film", NULL, 0, 1 << 20);
    if (error < 0 || !format) fail_av(EXIT_FILM, error, "not a film");
    if (is_playlist(format->name))
        fail(EXIT_FILM, "a playlist is not a film; nothing outside of the file may be opened");
    static const char *const formats = "mov,matroska,mpegts,mpeg,avi,flv";
    if (!av_match_list(format->name, formats, ',')) fail(EXIT_FILM, "not a film (%s)", format->name);
    AVFormatContext *film = need(avformat_alloc_context());
    film->pb = bytes;
    film->io_open = open_nothing;
    film->flags |= AVFMT_FLAG_GENPTS;
    film->max_streams = 256;
    AVDictionary *options = NULL;
    av_dict_set(&options, "format_whitelist", formats, 0);
    av_dict_set(&options, "protocol_whitelist", "none", 0);
    if (!strncmp(format->name, "mov", 3)) av_dict_set(&options, "enable_drefs", "0", 0);
    error = avformat_open_input(&film, NULL, format, &options);
    if (error < 0 && log_has("moov atom not found")) fail(EXIT_FILM, "its index is missing: the file is cut off");
    if (error < 0) fail_av(EXIT_FILM, error, "the film cannot be read");
    av_dict_free(&options);
    // One thread, as everywhere: frames decoded for the streams' descriptions are few.
    AVDictionary **threads = need(calloc(film->nb_streams + 1, sizeof *threads));
    unsigned count = film->nb_streams;
    for (unsigned i = 0; i < count; i++) av_dict_set(&threads[i], "threads", "1", 0);
    error = avformat_find_stream_info(film, threads);
    for (unsigned i = 0; i < count; i++) av_dict_free(&threads[i]);
    free(threads);
    if (error < 0) fail_av(EXIT_FILM, error, "the film's streams cannot be read");
    return film;
}
