// ink-film: reads, marks, encodes and joins films for ink, as a confined process that is handed descriptors only.
// docs/films.md says what is sent to it and what it answers.
#pragma once
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

// Exit codes, as in ink's own.
enum { EXIT_ARGUMENT = 64, EXIT_FILM = 65, EXIT_INTERNAL = 70, EXIT_MEMORY = 71, EXIT_CODEC = 72, EXIT_FILE = 74 };
// Descriptors that the parent opens before it starts this program.
enum { SOCKET_DESCRIPTOR = 3, INPUT_DESCRIPTOR = 4, OUTPUT_DESCRIPTOR = 5 };

// wire.c: messages

enum Message {
    SETTINGS = 1, HEADER = 2, MARK = 3, ROWS = 4, BLOCK = 5, END = 6, BYTES = 7, FRAME = 8, CODEC = 9,
    ASK_BYTES = 33, ASK_BLOCK = 34, ASK_FRAME = 35, FILM = 36, PIECE = 37, PROGRESS = 38, WARNING = 39, FAILURE = 40,
    LEAD_IN = 41, DONE = 42
};
enum { PICTURES = 0, REST = 1 };
enum { LARGEST_PACKET = 64 << 20, LARGEST_BLOCK = (64 << 20) + (1 << 20), LARGEST_HEADER = 32 << 20 };

typedef struct { uint8_t *data; size_t size, room; } Buffer;
typedef struct { const uint8_t *at, *end; bool failed; } Reader;

void put8(Buffer *, uint32_t);
void put16(Buffer *, uint32_t);
void put32(Buffer *, uint32_t);
void put64(Buffer *, uint64_t);
void put_raw(Buffer *, const void *, size_t);
void put_bytes(Buffer *, const void *, size_t);
void put_text(Buffer *, const char *);
uint32_t get8(Reader *);
uint32_t get16(Reader *);
uint32_t get32(Reader *);
uint64_t get64(Reader *);
const uint8_t *get_raw(Reader *, size_t);
/// The bytes behind a length of four bytes; NULL, and the reader has failed, if it is more than `most` or than there
/// is.
const uint8_t *get_bytes(Reader *, size_t most, size_t *size);
/// A new string; NULL if the reader fails.
char *get_text(Reader *, size_t most);

/// Set by the last message: from then on nobody need listen.
extern atomic_bool has_answered;
void send_message(enum Message, Buffer *);
/// The next message's body, valid until the next call. Ends the program if the other side is gone or breaks the rules.
Reader receive_message(enum Message *);
/// Sends a failure and ends the program with `code`.
_Noreturn void fail(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));
/// The same with libav's words for `error` as the cause.
_Noreturn void fail_av(int code, int error, const char *format, ...) __attribute__((format(printf, 3, 4)));
void warn(const char *kind, const char *format, ...) __attribute__((format(printf, 2, 3)));
void keep_log(void);
/// Whether one of libav's messages so far contains `words`.
bool log_has(const char *words);
void *need(void *);
void progress(uint64_t done, uint64_t total);
/// Microseconds of the processor that this process has used.
int64_t cpu_time(void);

void read_settings(void);
const char *setting(const char *key, const char *otherwise);
int64_t number_setting(const char *key, int64_t otherwise, int64_t least, int64_t most);

// A packet on the wire: track, times, flags, side data, data.
void put_packet(Buffer *, int track, const AVPacket *);
/// False if the message is not sound; the packet is then empty.
bool get_packet(Reader *, int *track, AVPacket *);

typedef struct { Buffer body; int kind; uint64_t first; uint32_t count; } BlockWriter;
void block_add(BlockWriter *, int track, const AVPacket *, bool starts_anew);
void block_flush(BlockWriter *, bool last);

// sandbox.c
void enter_sandbox(void);

// input.c
AVFormatContext *open_film(void);
AVIOContext *descriptor_io(int descriptor, bool writes);
void close_descriptor_io(AVIOContext *);

// header.c: what `cut` knows of a film and `piece` and `join` need

enum Fate { COPIED = 0, TO_MOV_TEXT = 1, TO_SUBRIP = 2, TO_WEBVTT = 3, TO_AAC = 4, TO_ATTACHMENT = 5 };
enum { MOST_TRACKS = 64 };

typedef struct {
    AVCodecParameters *parameters;
    AVRational clock, rate;
    int disposition, fate;
    int64_t first;  // lowest pts, in the track's clock
    AVDictionary *tags;
    AVPacketSideData *side;
    int sides;
} Track;

typedef struct {
    char container[32], codec[16], format[8];
    AVDictionary *tags;
    Track tracks[MOST_TRACKS];
    int track_count, picture, picture_source;
    AVChapter *chapters;
    int chapter_count;
    // What is taken from all times, as a fraction of a second.
    int64_t origin;
    AVRational origin_clock;
    int64_t last_duration;  // of the frame that is shown last
    uint64_t frames;
    // The decoded frame, and the one that is encoded.
    int width, height, pixel_format, out_width, out_height, out_format;
    AVRational aspect;
    int range, primaries, transfer, matrix, chroma;
    bool interlaced, top_first;
    Buffer mastering, light;
} Film;

void put_header(Buffer *, const Film *);
/// Ends the program if the header is not sound.
void get_header(Reader *, Film *);

// plan.c: streams, rules, warnings
/// Chooses the streams and what becomes of each; `sources` maps the film's streams to tracks (-1: left out).
void plan_streams(AVFormatContext *, Film *, int *sources);
/// The rules of what comes out of which picture, by the first frame.
void plan_picture(AVFormatContext *, Film *, const AVFrame *);
const char *encoder_name(const char *codec, int format, int width, int height);
uint64_t piece_memory(const Film *, const char *effort);
/// Quarter turns clockwise that a player makes, and whether it mirrors first; false if the matrix is another.
bool turn_of(const int32_t *matrix, int *turns, bool *mirrored);
const uint8_t *side_data(const Track *, enum AVPacketSideDataType, size_t *);
void send_film(const Film *, AVFormatContext *, const int *sources, uint64_t bytes, int64_t first, int64_t span);

// frames.c
typedef struct Converter Converter;
Converter *converter_new(const Film *);
/// A new frame of the encoder's size and format; the decoder's frame is left as it is.
AVFrame *convert(Converter *, const AVFrame *);

// mark.c
typedef struct Marks Marks;
void marks_begin(Marks **, Reader *);
void marks_rows(Marks *, Reader *);
void marks_finish(Marks *, const Film *);
void marks_blend(const Marks *, AVFrame *);

// encode.c
AVCodecContext *open_encoder(const Film *, const char *effort, const char *crf);

// sound.c
typedef struct Sound Sound;
Sound *sound_open(Track *, enum Fate fate);
/// Calls `take` for each packet that comes of `packet` (NULL: the end).
void sound_feed(Sound *, const AVPacket *packet, void (*take)(void *, AVPacket *), void *context);

// text.c
/// The text of a subtitle without its styles, as a packet of `fate`'s format; false if there is none.
bool convert_text(const Track *, AVPacket *);
void text_parameters(Track *);

// Verbs
void run_probe(void);
void run_cut(void);
void run_piece(void);
void run_join(void);
void run_raster(void);
