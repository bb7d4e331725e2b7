// The proof of `join`: the finished file is read back, and holds what was given to it.
#pragma once
#include <libavformat/avformat.h>

typedef struct Proof Proof;
Proof *proof_new(void);
/// Notes a packet as it is handed to the muxer; `padding` is taken off its time when it is read.
void proof_given(Proof *, const AVStream *, const AVPacket *, int64_t padding);
/// Ends the program with an internal error if the file holds something else.
void proof_check(Proof *, AVFormatContext *written);
