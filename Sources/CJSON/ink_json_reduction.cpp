#include "ink_json_reduction.h"

#include <string_view>
#include <charconv>
#include <cmath>
#include <cstring>
#include <new>
#include <string>
#include <vector>

#include "ink_json.h"

struct ink_json_reduction {
    std::string text;
    size_t length = 0;
    std::vector<ink_json_piece> pieces;
};

namespace {

bool is_blank(uint8_t c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

bool is_digit(uint8_t c) { return c >= '0' && c <= '9'; }

/// A position in a text; `next` at its end is a zero byte, which stands nowhere in JSON.
struct Cursor {
    const uint8_t *at;
    const uint8_t *end;

    uint8_t next() const { return at < end ? *at : 0; }

    void skip_blanks() {
        while (at < end && is_blank(*at)) at++;
    }

    /// Steps over a character after blanks; false when it is another one.
    bool take(uint8_t c) {
        skip_blanks();
        if (next() != c) return false;
        at++;
        return true;
    }

    const uint8_t *find(uint8_t c) const {
        return at < end ? static_cast<const uint8_t *>(memchr(at, c, end - at)) : nullptr;
    }
};

enum class Key { none, points, image };

/// The key whose opening quote is at `quote`; `*behind` is then behind its closing quote.
Key key_at(const uint8_t *quote, const uint8_t *end, const uint8_t **behind) {
    static const struct {
        const char *text;
        size_t length;
        Key key;
    } keys[] = {{"\"points\"", 8, Key::points},
                {"\"maskImage\"", 11, Key::image},
                {"\"contentImage\"", 14, Key::image},
                {"\"baseImage\"", 11, Key::image}};
    for (const auto &key : keys) {
        if (static_cast<size_t>(end - quote) < key.length || memcmp(quote, key.text, key.length) != 0) continue;
        *behind = quote + key.length;
        return key.key;
    }
    return Key::none;
}

/// Whether the character at `position` has an odd number of backslashes before it.
bool is_escaped(const uint8_t *position, const uint8_t *start) {
    const uint8_t *before = position;
    while (before > start && before[-1] == '\\') before--;
    return (position - before) % 2 == 1;
}

/// The array of arrays that begins at the cursor, as far as brackets tell; false when it is none.
bool find_array(Cursor cursor, ink_json_piece *piece, const uint8_t *text) {
    const uint8_t *start = cursor.at;
    cursor.at++;
    size_t count = 0;
    for (;;) {
        const uint8_t *bracket = cursor.find(']');
        if (!bracket) return false;
        count++;
        cursor.at = bracket + 1;
        if (cursor.take(']')) break;
    }
    *piece = {static_cast<size_t>(start - text), static_cast<size_t>(cursor.at - start), count};
    return true;
}

bool find_string(Cursor cursor, ink_json_piece *piece, const uint8_t *text) {
    cursor.at++;
    const uint8_t *quote = cursor.find('"');
    if (!quote || memchr(cursor.at, '\\', quote - cursor.at)) return false;
    *piece = {static_cast<size_t>(cursor.at - text), static_cast<size_t>(quote - cursor.at), 0};
    return true;
}

/// Whether something in the text may pass for a stand-in: a string with the character that those of images begin with, or a
/// key that is `points` only when its escapes are read. No writer escapes letters, and a text that does is only read more
/// slowly.
bool may_pass_for_stand_in(const uint8_t *text, const uint8_t *end) {
    Cursor cursor{text, end};
    while (const uint8_t *backslash = cursor.find('\\')) {
        cursor.at = backslash + 1;
        if (end - backslash < 6 || memcmp(backslash, "\\u00", 4) != 0) continue;
        if (backslash[4] == '6' || backslash[4] == '7' || memcmp(backslash + 4, "01", 2) == 0) return true;
    }
    return false;
}

/// False when the text has to be read whole.
bool reduce(const uint8_t *text, size_t length, size_t pieces_max, ink_json_reduction &result) {
    const uint8_t *end = text + length;
    const uint8_t *kept = text;
    Cursor cursor{text, end};
    while (const uint8_t *quote = cursor.find('"')) {
        const uint8_t *behind = quote + 1;
        Key key = key_at(quote, end, &behind);
        cursor.at = behind;
        if (key == Key::none || is_escaped(quote, text) || !cursor.take(':')) continue;
        cursor.skip_blanks();
        if (result.pieces.size() >= pieces_max) return false;
        ink_json_piece piece;
        std::string stand_in = std::to_string(result.pieces.size());
        if (key == Key::image) {
            if (cursor.next() != '"') continue;
            if (!find_string(cursor, &piece, text)) return false;
            stand_in = "\\u0001" + stand_in;
        } else {
            if (cursor.next() != '[') continue;
            Cursor inside = cursor;
            inside.at++;
            inside.skip_blanks();
            if (inside.next() == ']') continue;
            if (inside.next() != '[' || !find_array(inside, &piece, text)) return false;
            piece.length += piece.offset - (cursor.at - text);
            piece.offset = cursor.at - text;
            stand_in = "[[" + stand_in + ",0,0,0,0,0,0]]";
        }
        if (may_pass_for_stand_in(kept, text + piece.offset)) return false;
        result.text.append(reinterpret_cast<const char *>(kept), text + piece.offset - kept);
        result.text += stand_in;
        result.pieces.push_back(piece);
        // The closing quote of a string must not be taken for an opening one.
        cursor.at = text + piece.offset + piece.length + (key == Key::image ? 1 : 0);
        kept = text + piece.offset + piece.length;
    }
    if (result.pieces.empty() || may_pass_for_stand_in(kept, end)) return false;
    result.text.append(reinterpret_cast<const char *>(kept), end - kept);
    result.length = result.text.size();
    result.text.append(INK_JSON_PADDING, ' ');
    return true;
}

/// Steps over a character after blanks; false when it is another one.
///
/// This and the functions below rely on a bracket at the end of the text, which nothing but `take` steps over.
inline bool take(const uint8_t *&at, uint8_t c) {
    while (*at <= ' ' && is_blank(*at)) at++;
    if (*at != c) return false;
    at++;
    return true;
}

/// Reads what `read_number` does not: numbers with an exponent or many digits.
bool read_long_number(const uint8_t *start, const uint8_t *&at, double *value) {
    if (*at == 'e' || *at == 'E') {
        at++;
        if (*at == '+' || *at == '-') at++;
        if (!is_digit(*at)) return false;
        while (is_digit(*at)) at++;
    }
    const char *first = reinterpret_cast<const char *>(start), *last = reinterpret_cast<const char *>(at);
    std::from_chars_result result = std::from_chars(first, last, *value);
    return result.ec == std::errc() && result.ptr == last && std::isfinite(*value);
}

/// Steps over a number and reads it; false when it is none or has no finite double.
inline bool read_number(const uint8_t *&at, double *value) {
    static const double powers[] = {1e0, 1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,
                                    1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18};
    const uint8_t *start = at;
    bool is_negative = *at == '-';
    if (is_negative) at++;
    uint64_t mantissa = 0;
    const uint8_t *digits = at;
    for (; is_digit(*at); at++) mantissa = mantissa * 10 + (*at - '0');
    size_t count = at - digits;
    if (count == 0 || (count > 1 && *digits == '0')) return false;
    size_t places = 0;
    if (*at == '.') {
        const uint8_t *fraction = ++at;
        for (; is_digit(*at); at++) mantissa = mantissa * 10 + (*at - '0');
        places = at - fraction;
        if (places == 0) return false;
    }
    // Mantissa and power are exact, so that one division rounds correctly.
    if ((*at | 0x20) == 'e' || count + places > 19 || mantissa > uint64_t(1) << 53) {
        // Integers beyond 64 bits are mended where a text is read as a whole, and rounded there.
        bool is_integer = places == 0 && (*at | 0x20) != 'e';
        return !(is_integer && count > 19) && read_long_number(start, at, value);
    }
    double magnitude = static_cast<double>(mantissa);
    if (places > 0) magnitude /= powers[places];
    // An integer has no negative zero.
    *value = is_negative && (mantissa != 0 || places > 0) ? -magnitude : magnitude;
    return true;
}

bool read_null(const uint8_t *&at) {
    for (const char *c = "null"; *c; c++, at++) {
        if (*at != static_cast<uint8_t>(*c)) return false;
    }
    return true;
}

inline bool read_point(const uint8_t *&at, double limit, const double *defaults, double *point) {
    memcpy(point + 2, defaults, 4 * sizeof(double));
    for (int index = 0; index < 6; index++) {
        while (*at <= ' ' && is_blank(*at)) at++;
        if (!(index >= 2 && *at == 'n' ? read_null(at) : read_number(at, point + index))) return false;
        if (take(at, ',')) continue;
        return index >= 1 && take(at, ']') && std::fabs(point[0]) <= limit && std::fabs(point[1]) <= limit &&
               point[2] >= 0 && point[2] <= 1;
    }
    return false;
}

}  // namespace

extern "C" ink_json_reduction *ink_json_reduce(const uint8_t *text, size_t length, size_t pieces_max) {
    try {
        ink_json_reduction *reduction = new ink_json_reduction();
        if (reduce(text, length, pieces_max, *reduction)) return reduction;
        delete reduction;
    } catch (const std::bad_alloc &) {
        // Reading the text whole will tell.
    }
    return nullptr;
}

extern "C" void ink_json_reduction_free(ink_json_reduction *reduction) { delete reduction; }

extern "C" const uint8_t *ink_json_reduction_text(const ink_json_reduction *reduction, size_t *length) {
    *length = reduction->length;
    return reinterpret_cast<const uint8_t *>(reduction->text.data());
}

extern "C" int ink_json_reduction_holds(const ink_json_reduction *reduction, const char *word) {
    // As if by memmem, which the C++ library does not have.
    return std::string_view(reinterpret_cast<const char *>(reduction->text.data()), reduction->length).find(word) !=
        std::string_view::npos;
}

extern "C" const ink_json_piece *ink_json_reduction_pieces(const ink_json_reduction *reduction, size_t *count) {
    *count = reduction->pieces.size();
    return reduction->pieces.data();
}

extern "C" size_t ink_json_read_points(
    const uint8_t *text, size_t length, double limit, const double defaults[4], double *points, size_t capacity) {
    const uint8_t *at = text, *end = text + length;
    if (length < 2 || end[-1] != ']' || !take(at, '[')) return SIZE_MAX;
    for (size_t count = 0; count < capacity;) {
        if (!take(at, '[') || !read_point(at, limit, defaults, points + 6 * count)) return SIZE_MAX;
        count++;
        // The bracket at the end belongs to the outer array.
        if (at == end) return SIZE_MAX;
        if (take(at, ',')) continue;
        return take(at, ']') && at == end ? count : SIZE_MAX;
    }
    return SIZE_MAX;
}
