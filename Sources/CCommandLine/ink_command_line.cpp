#include "ink_command_line.h"

#include <CLI/CLI.hpp>
#include <exception>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace {

// Where CLI11 leaves what was given for one option. It keeps references, so these never move.
struct Slot {
    int kind = INK_CLI_FLAG;
    bool flag = false;
    std::string value;
    std::vector<std::string> values;
    CLI::Option *option = nullptr;
};

using Slots = std::map<std::string, std::unique_ptr<Slot>>;

// A command by its name: that of one in a family is two words.
CLI::App *find(CLI::App &app, const std::string &command) {
    const size_t space = command.find(' ');
    if (space == std::string::npos) return app.get_subcommand(command);
    return app.get_subcommand(command.substr(0, space))->get_subcommand(command.substr(space + 1));
}

}  // namespace

struct ink_cli {
    CLI::App app;
    std::string version;
    std::map<std::string, Slots> slots;
    std::string command;
    std::string text;

    const Slot *slot(const char *key) const {
        auto of_command = slots.find(command);
        if (of_command == slots.end()) return nullptr;
        auto found = of_command->second.find(key);
        return found == of_command->second.end() ? nullptr : found->second.get();
    }
};

ink_cli *ink_cli_create(const char *name, const char *description, const char *version) {
    try {
        auto cli = std::make_unique<ink_cli>();
        cli->version = version;
        cli->app.name(name);
        cli->app.description(description);
        cli->app.set_help_flag("-h,--help", "Print this help and exit");
        cli->app.set_version_flag("-v,-V,--version", cli->version, "Print the version and exit");
        cli->app.require_subcommand(0, 1);
        cli->app.get_formatter()->column_width(34);
        return cli.release();
    } catch (const std::exception &) {
        return nullptr;
    }
}

void ink_cli_destroy(ink_cli *cli) { delete cli; }

int ink_cli_add_command(ink_cli *cli, const char *command, const char *description, const char *group,
                        const char *footer) {
    try {
        const std::string name = command;
        const size_t space = name.find(' ');
        CLI::App *parent = &cli->app;
        if (space != std::string::npos) {
            parent = cli->app.get_subcommand(name.substr(0, space));
            parent->require_subcommand(1);
        }
        parent->add_subcommand(space == std::string::npos ? name : name.substr(space + 1), description)
            ->footer(footer)
            ->group(group);
        cli->slots[command];
        return 0;
    } catch (const std::exception &) {
        return 1;
    }
}

int ink_cli_add_option(ink_cli *cli, const char *command, const char *key, const char *names, int kind,
                       const char *shown, const char *group, const char *help) {
    try {
        CLI::App *app = find(cli->app, command);
        auto owned = std::make_unique<Slot>();
        Slot *slot = owned.get();
        slot->kind = kind;
        switch (kind) {
            case INK_CLI_FLAG: slot->option = app->add_flag(names, slot->flag, help); break;
            case INK_CLI_VALUE:
            case INK_CLI_ARGUMENT: slot->option = app->add_option(names, slot->value, help); break;
            case INK_CLI_VALUES:
                // One value a name, so that `--size 2k drawing.ink` does not take the path for a size.
                slot->option = app->add_option(names, slot->values, help)->expected(1)->allow_extra_args(false)
                                   ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
                break;
            default: slot->option = app->add_option(names, slot->values, help); break;
        }
        if (kind != INK_CLI_FLAG) slot->option->option_text(shown);
        if (*group) slot->option->group(group);
        cli->slots[command][key] = std::move(owned);
        return 0;
    } catch (const std::exception &) {
        return 1;
    }
}

int ink_cli_parse(ink_cli *cli, int argc, const char *const *argv) {
    try {
        // CLI11 takes the arguments from the back.
        std::vector<std::string> arguments;
        for (int i = argc - 1; i > 0; --i) arguments.emplace_back(argv[i]);
        int outcome = INK_CLI_COMMAND;
        try {
            cli->app.parse(std::move(arguments));
        } catch (const CLI::CallForHelp &) {
            outcome = INK_CLI_HELP;
        } catch (const CLI::CallForAllHelp &) {
            outcome = INK_CLI_HELP;
        } catch (const CLI::CallForVersion &) {
            cli->text = cli->version;
            return INK_CLI_VERSION;
        } catch (const CLI::ArgumentMismatch &error) {
            // "--size: 1 required TEXT missing", "--size: At Most 1 required but received 2"
            const std::string text = error.what();
            const bool is_missing = text.find("missing") != std::string::npos;
            cli->text = text.substr(0, text.find(':')) + (is_missing ? " needs a value" : " is given more than once");
            outcome = INK_CLI_ERROR;
        } catch (const CLI::ExtrasError &error) {
            const auto rest = cli->app.remaining(true);
            cli->text = rest.empty() ? error.what() : rest.front();
            outcome = INK_CLI_UNEXPECTED;
        } catch (const CLI::ParseError &error) {
            cli->text = error.what();
            outcome = INK_CLI_ERROR;
        }
        for (auto given = cli->app.get_subcommands(); !given.empty(); given = given.front()->get_subcommands()) {
            cli->command += (cli->command.empty() ? "" : " ") + given.front()->get_name();
        }
        if (outcome == INK_CLI_HELP) cli->text = cli->app.help();
        return outcome;
    } catch (const std::exception &error) {
        cli->text = error.what();
        return INK_CLI_ERROR;
    }
}

const char *ink_cli_text(const ink_cli *cli) { return cli->text.c_str(); }

const char *ink_cli_command(const ink_cli *cli) { return cli->command.c_str(); }

size_t ink_cli_count(const ink_cli *cli, const char *key) {
    const Slot *slot = cli->slot(key);
    if (!slot) return 0;
    switch (slot->kind) {
        case INK_CLI_FLAG: return slot->flag ? 1 : 0;
        case INK_CLI_VALUE:
        case INK_CLI_ARGUMENT: return slot->option->count() ? 1 : 0;
        default: return slot->values.size();
    }
}

const char *ink_cli_value(const ink_cli *cli, const char *key, size_t index) {
    const Slot *slot = cli->slot(key);
    if (!slot || index >= ink_cli_count(cli, key)) return nullptr;
    switch (slot->kind) {
        case INK_CLI_FLAG: return nullptr;
        case INK_CLI_VALUE:
        case INK_CLI_ARGUMENT: return slot->value.c_str();
        default: return slot->values[index].c_str();
    }
}

const char *ink_cli_help(ink_cli *cli, const char *command) {
    try {
        const std::string name = command;
        const size_t space = name.find(' ');
        const std::string before = space == std::string::npos ? "" : " " + name.substr(0, space);
        cli->text = *command ? find(cli->app, name)->help(cli->app.get_name() + before) : cli->app.help();
        return cli->text.c_str();
    } catch (const std::exception &) {
        return nullptr;
    }
}
