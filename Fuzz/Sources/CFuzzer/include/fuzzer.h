// The entry point of libFuzzer (https://llvm.org/docs/LibFuzzer.html, "Using libFuzzer as a library").
#ifndef INK_FUZZER_H
#define INK_FUZZER_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*user_callback)(const uint8_t *data, size_t size));

#endif
