#include "ink_json.h"

#include <new>
#include <simdjson.h>
#include <utility>

static_assert(INK_JSON_PADDING >= simdjson::SIMDJSON_PADDING, "simdjson reads this far behind the text");

struct ink_json_document {
    simdjson::dom::document document;
};

extern "C" int ink_json_parse(const uint8_t *text, size_t length, size_t max_depth, ink_json_document **document) {
    *document = nullptr;
    try {
        // The parser holds the index of structural characters, 4 bytes each; it goes when this function returns.
        simdjson::dom::parser parser(SIZE_MAX);
        // simdjson counts the document itself as one level.
        simdjson::error_code error = parser.allocate(length, max_depth + 1);
        if (error) return INK_JSON_NO_MEMORY;
        ink_json_document *result = new ink_json_document();
        error = parser.parse_into_document(result->document, text, length, false).error();
        if (!error) {
            *document = result;
            return INK_JSON_OK;
        }
        delete result;
        switch (error) {
        case simdjson::DEPTH_ERROR: return INK_JSON_TOO_DEEP;
        case simdjson::MEMALLOC:
        case simdjson::CAPACITY: return INK_JSON_NO_MEMORY;
        default: return INK_JSON_INVALID;
        }
    } catch (const std::bad_alloc &) {
        return INK_JSON_NO_MEMORY;
    } catch (...) {
        return INK_JSON_INVALID;
    }
}

extern "C" void ink_json_free(ink_json_document *document) { delete document; }

extern "C" const uint64_t *ink_json_tape(const ink_json_document *document) { return document->document.tape.get(); }

extern "C" const uint8_t *ink_json_strings(const ink_json_document *document) {
    return document->document.string_buf.get();
}

extern "C" size_t ink_json_value_bound(const uint8_t *text, size_t length) {
    size_t total = 1;
    for (size_t start = 0; start < length;) {
        // Short runs with an 8-bit counter let the compiler use byte lanes.
        size_t end = length - start > 192 ? start + 192 : length;
        uint8_t count = 0;
        for (size_t i = start; i < end; i++) {
            uint8_t c = text[i];
            count = (uint8_t)(count + ((c == ',') | (c == ':') | (c == '[') | (c == '{')));
        }
        total += count;
        start = end;
    }
    return total;
}
