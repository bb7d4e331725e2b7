#pragma once

// Libraries that few runs need, or that bring many others, are loaded when a function of theirs is first called
// (`ink_lazy.S` has their functions): a program that is linked to them would load all of them before its first line.
//
// They are as necessary as those that it is linked to: where one is missing, the call says so on standard error and ends
// the process.

#ifdef __cplusplus
extern "C" {
#endif

/// Loads all of them and finds all functions, so that what is missing is noticed now.
void ink_lazy_load_all(void);

#ifdef __cplusplus
}
#endif
