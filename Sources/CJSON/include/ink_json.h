// A C face for simdjson's DOM parser (libsimdjson, Apache-2.0 or MIT).
//
// The parsed document is handed out as simdjson's tape (doc/tape.md of simdjson): 64-bit words, the kind in the top
// 8 bits and a payload in the others.
//
//   'r'        first and last word of a document
//   '[' '{'    payload bits 0-31: index of the word after the matching end; bits 32-55: number of elements or fields,
//              saturated at 0xFFFFFF
//   ']' '}'    payload: index of the matching start
//   '"'        payload: offset into the strings; there a 32-bit length, then that many bytes of UTF-8, then a zero byte
//   'l' 'u'    the next word is an int64 / a uint64        'd'   the next word is a double (always finite)
//   't' 'f' 'n'  true, false, null
//
// In an object, keys ('"') and values alternate.
#pragma once
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Bytes that must be readable after the text handed to ink_json_parse; what they hold does not matter.
#define INK_JSON_PADDING 64

typedef struct ink_json_document ink_json_document;

enum {
    INK_JSON_OK = 0,
    /// The text is not JSON, or a number in it has no value as int64, uint64 or finite double.
    INK_JSON_INVALID = 1,
    /// Arrays and objects lie deeper in each other than allowed.
    INK_JSON_TOO_DEEP = 2,
    /// Memory could not be had, or the text is 4 GiB or longer.
    INK_JSON_NO_MEMORY = 3
};

/// Parses `length` bytes of UTF-8. At most `max_depth` arrays and objects that are not empty may lie in each other.
///
/// The document does not refer to `text` afterwards. Takes about 12 bytes of memory a value and 1.7 bytes a byte of
/// string. `*document` is NULL unless INK_JSON_OK is returned. No C++ exception leaves.
int ink_json_parse(const uint8_t *text, size_t length, size_t max_depth, ink_json_document **document);

void ink_json_free(ink_json_document *document);

/// The tape; word 0 is 'r', the root value begins at word 1.
const uint64_t *ink_json_tape(const ink_json_document *document);

/// The strings that '"' words point into.
const uint8_t *ink_json_strings(const ink_json_document *document);

/// An upper bound of the number of values and keys in the text, from its commas, colons and opening brackets.
/// Runs at memory speed; tells what a parse would cost before it is begun.
size_t ink_json_value_bound(const uint8_t *text, size_t length);

#ifdef __cplusplus
}
#endif
