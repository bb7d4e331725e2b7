#pragma once

// What the program runs with: versions of the libraries and the processor's vector units. For `ink doctor`.

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/// How many libraries there are.
size_t ink_library_count(void);
/// Name of library `index`: `libpng`.
const char *ink_library_name(size_t index);
/// Its version, of the library that was loaded where it can tell, else of its header.
const char *ink_library_version(size_t index);

/// How many vector units are known of this kind of processor.
size_t ink_vector_unit_count(void);
const char *ink_vector_unit_name(size_t index);
/// Whether this processor has it, 0 or 1.
int ink_vector_unit_present(size_t index);

#ifdef __cplusplus
}
#endif
