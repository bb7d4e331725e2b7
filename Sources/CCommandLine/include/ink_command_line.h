#pragma once

// A C face of CLI11: subcommands, options and positional arguments, whose values are handed back as text.
// No C++ exception leaves these functions. Strings that are returned live as long as the parser.

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ink_cli ink_cli;

/// How an option of a command is given.
enum {
    /// `--name`, without a value.
    INK_CLI_FLAG = 0,
    /// `--name VALUE`, at most once.
    INK_CLI_VALUE = 1,
    /// `--name VALUE`, as often as wanted.
    INK_CLI_VALUES = 2,
    /// One argument without a name.
    INK_CLI_ARGUMENT = 3,
    /// Any number of arguments without a name.
    INK_CLI_ARGUMENTS = 4,
};

/// What became of a command line.
enum {
    INK_CLI_COMMAND = 0,
    INK_CLI_HELP = 1,
    INK_CLI_VERSION = 2,
    INK_CLI_ERROR = 3,
    /// An argument that is no option and has no place; `ink_cli_text` has it.
    INK_CLI_UNEXPECTED = 4,
};

/// NULL when there is no memory.
ink_cli *ink_cli_create(const char *name, const char *description, const char *version);
void ink_cli_destroy(ink_cli *cli);

/// Adds a subcommand, or with a name of two words one of a subcommand that is there already; `group` is the heading it stands under in the program's help. 0 when done.
int ink_cli_add_command(ink_cli *cli, const char *command, const char *description, const char *group,
                        const char *footer);

/// Adds an option to a subcommand. `names` as CLI11 writes them (`-o,--output`; a bare name for an argument), `key` is
/// what its values are asked for by, `shown` the word that stands for the value in the help, `group` the heading it
/// stands under (empty: "Options"). 0 when done.
int ink_cli_add_option(ink_cli *cli, const char *command, const char *key, const char *names, int kind,
                       const char *shown, const char *group, const char *help);

/// Parses `argv[1 ..< argc]`; one of the outcomes above. The text is in `ink_cli_text`: the help, the version, or what
/// is wrong, in one line.
int ink_cli_parse(ink_cli *cli, int argc, const char *const *argv);
const char *ink_cli_text(const ink_cli *cli);

/// The subcommand that was given; empty when none was.
const char *ink_cli_command(const ink_cli *cli);

/// How often `key` of the given subcommand was given (a flag), or how many values it has.
size_t ink_cli_count(const ink_cli *cli, const char *key);
/// Value `index` of `key`; NULL beyond the last.
const char *ink_cli_value(const ink_cli *cli, const char *key, size_t index);

/// The help text of a subcommand, or of the program for an empty name; NULL for an unknown one.
const char *ink_cli_help(ink_cli *cli, const char *command);

#ifdef __cplusplus
}
#endif
