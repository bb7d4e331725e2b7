// Project texts without their bulk: the points of strokes and the images, which are read straight from the text instead
// of going through a document.
#pragma once
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ink_json_reduction ink_json_reduction;

/// A value that was left out: where it stands in the text. Of an array the brackets are part, of a string the quotes are
/// not.
typedef struct {
    size_t offset;
    size_t length;
    /// Elements of an array; 0 for a string.
    size_t count;
} ink_json_piece;

/// Leaves out of `length` bytes of text the values of the keys
///
///   "points"                                    arrays of arrays             the stand-in: [[i,0,0,0,0,0,0]]
///   "baseImage" "maskImage" "contentImage"      strings without backslashes  the stand-in: "\u0001i"
///
/// where i is the index of the piece. No other array of these keys, and no string that begins so, is in the rest: NULL
/// is returned for a text that has one, as for one with nothing to leave out, and when memory is exhausted.
///
/// The text is JSON exactly if the rest is JSON, each array a JSON array, and each string a JSON string. That neither
/// the rest nor the pieces are looked at more closely makes this fast; it holds because a quote without a backslash
/// before it either opens or ends a string, and one that ended one would be followed by the key's name, which no JSON
/// text has.
///
/// A text with more than `pieces_max` pieces is not reduced either: what stands for the smallest takes more memory than it.
ink_json_reduction *ink_json_reduce(const uint8_t *text, size_t length, size_t pieces_max);

void ink_json_reduction_free(ink_json_reduction *reduction);

/// The rest, with INK_JSON_PADDING bytes behind it.
const uint8_t *ink_json_reduction_text(const ink_json_reduction *reduction, size_t *length);

/// Whether a word stands somewhere in the rest: 1 or 0.
int ink_json_reduction_holds(const ink_json_reduction *reduction, const char *word);

const ink_json_piece *ink_json_reduction_pieces(const ink_json_reduction *reduction, size_t *count);

/// Reads a JSON array of arrays of 2 to 6 numbers, of which those from the third on may be null: six values each into
/// `points`, with the ones of `defaults` (for the third to the sixth) where a number is missing. A magnitude of the first
/// two above `limit`, and a third outside 0 to 1, are refused.
///
/// Returns the number of arrays; SIZE_MAX for anything else, and for more than `capacity`. Numbers are rounded to the
/// nearest double; one that has none is refused, and so is an integer of more than 19 digits.
size_t ink_json_read_points(
    const uint8_t *text, size_t length, double limit, const double defaults[4], double *points, size_t capacity);

#ifdef __cplusplus
}
#endif
