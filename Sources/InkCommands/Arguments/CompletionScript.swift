import InkExports

/// Scripts that let shells complete the command line of `ink`, made from its syntax.
enum CompletionScript {
    static let shells = ["bash", "zsh", "fish"]

    /// - Throws: `usage` if the shell is unknown.
    static func text(for shell: String?, program: ProgramSyntax) throws(CommandError) -> String {
        switch shell {
        case "bash": return bash(program)
        case "zsh": return zsh(program)
        case "fish": return fish(program)
        case nil: throw .usage("a SHELL is needed: bash, zsh or fish")
        case let other?:
            throw .usage("there are no completions for \"\(other.replacingNewlines())\", only for bash, zsh and fish")
        }
    }

    /// The second words of a family's commands.
    private static func names(in family: CommandSyntax, _ program: ProgramSyntax) -> [String] {
        program.family(family.name).map { String($0.name.dropFirst(family.name.count + 1)) }
    }

    // MARK: - bash

    private static func bash(_ program: ProgramSyntax) -> String {
        var text = """
            # bash completion for ink; made by "ink completions bash"
            # Offers those lines of standard input that continue the word; with a comma as argument, its last part.
            _ink_offer() {
                local plain=${cur//\\\\/} quote= start= line
                if [[ $cur == [\\'\\"]* ]]; then plain=${cur:1} quote=${cur:0:1}; fi
                if [[ $1 == , ]]; then
                    compopt -o nospace 2>/dev/null
                    if [[ $plain == *,* ]]; then start=${plain%,*},; fi
                fi
                while IFS=$'\\t' read -r line _; do
                    [[ -n $line && $start$line == "$plain"* && ,$start != *",$line,"* ]] || continue
                    line=$start$line
                    if [[ -z $quote ]]; then
                        printf -v line %q "$line"
                        line=${line//\\\\,/,}
                    fi
                    COMPREPLY+=("$line")
                done
            }
            _ink_list() { _ink_offer , < <(printf '%s\\n' $1); }
            _ink_ask() { _ink_offer "$2" < <(ink \(AskedValues.command) "$1" "${COMP_WORDS[@]:1}" 2>/dev/null); }
            _ink_words() { mapfile -t COMPREPLY < <(compgen -W "$1" -- "$cur"); }
            _ink_files() {
                compopt -o filenames 2>/dev/null
                mapfile -t COMPREPLY < <(compgen -f -- "$cur")
            }
            _ink_folders() {
                compopt -o filenames 2>/dev/null
                mapfile -t COMPREPLY < <(compgen -d -- "$cur")
            }
            _ink() {
                local cur=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
                COMPREPLY=()
                # --option=value comes as three words.
                if [[ $cur == = ]]; then
                    cur=
                elif [[ $previous == = ]]; then
                    previous=${COMP_WORDS[COMP_CWORD - 2]}
                fi
                if ((COMP_CWORD == 1)); then
                    _ink_words '\(program.topCommands.map(\.name).joined(separator: " ")) --help --version'
                    return
                fi
                local command=${COMP_WORDS[1]}

            """
        for family in program.topCommands where !program.family(family.name).isEmpty {
            text += """
                    if [[ $command == \(family.name) ]]; then
                        if ((COMP_CWORD == 2)); then
                            _ink_words '\(names(in: family, program).joined(separator: " ")) --help'
                            return
                        fi
                        command+=" ${COMP_WORDS[2]}"
                    fi

                """
        }
        text += "    case $command in\n"
        for command in program.commands {
            text += "    '\(command.name)')\n"
            let valued = command.options.filter { $0.isOption && $0.kind != .flag }
            if !valued.isEmpty {
                text += "        case $previous in\n"
                for option in valued {
                    text += "        \(option.spellings.joined(separator: " | ")))"
                    text += " \(bash(option.completedValues(in: program))) return ;;\n"
                }
                text += "        esac\n"
            }
            let spellings = command.options.filter(\.isOption).flatMap(\.spellings) + ["--help"]
            let argument = command.options.first { !$0.isOption }?.completedValues(in: program) ?? .any
            text += """
                        if [[ $cur == -* ]]; then
                            _ink_words '\(spellings.joined(separator: " "))'
                        else
                            \(bash(argument).dropLast())
                        fi
                        ;;

                """
        }
        return text + "    esac\n}\ncomplete -F _ink ink\n"
    }

    /// A command followed by a semicolon.
    private static func bash(_ values: OptionValues) -> String {
        switch values {
        case .any: ":;"
        case .files: "_ink_files;"
        case .folders: "_ink_folders;"
        case .words(let words, let isList, let asked):
            (words.isEmpty ? "" : "\(isList ? "_ink_list" : "_ink_words") '\(words.joined(separator: " "))';")
                + (asked.map { "\(words.isEmpty ? "" : " ")_ink_ask \($0.rawValue)\(isList ? " ," : "");" } ?? "")
        }
    }

    // MARK: - zsh

    private static func zsh(_ program: ProgramSyntax) -> String {
        var text = """
            #compdef ink
            # zsh completion for ink; made by "ink completions zsh"
            # Offers words, and those that ink finds for a KIND; with a comma for the last part of a list.
            _ink_offer() {
                local kind=$1 separator=$2 used
                shift 2
                local -a found=("$@")
                if [[ -n $kind ]]; then
                    local tab=$'\\t'
                    local -a lines=("${(@f)$(command ink \(AskedValues.command) $kind "${(@)ink_line}" 2>/dev/null)}")
                    found+=("${(@)lines%%${tab}*}")
                fi
                if [[ $separator == , ]]; then
                    compset -P '*,'
                    for used in "${(@s:,:)IPREFIX}"; do found=("${(@)found:#$used}"); done
                    compadd -S '' -- "${(@)found:#}"
                else
                    compadd -- "${(@)found:#}"
                fi
            }
            _ink() {
                local -a ink_line=("${(@Q)words[2,-1]}")
                local -a commands=(

            """
        for command in program.topCommands {
            text += "        \(quoted("\(command.name):\(command.summary)"))\n"
        }
        text += """
                )
                if ((CURRENT == 2)); then
                    _describe -t commands command commands
                    return
                fi
                local command=$words[2]
                shift words
                ((CURRENT--))

            """
        for family in program.topCommands where !program.family(family.name).isEmpty {
            text += "    if [[ $command == \(family.name) ]]; then\n        commands=(\n"
            for (name, command) in zip(names(in: family, program), program.family(family.name)) {
                text += "            \(quoted("\(name):\(command.summary)"))\n"
            }
            text += """
                        )
                        if ((CURRENT == 2)); then
                            _describe -t commands command commands
                            return
                        fi
                        command+=" $words[2]"
                        shift words
                        ((CURRENT--))
                    fi

                """
        }
        text += "    case $command in\n"
        for command in program.commands {
            text += "    '\(command.name)')\n        _arguments -s -S"
            for option in command.options {
                text += " \\\n            \(zsh(option, program))"
            }
            text += " \\\n            '(-h --help)'{-h,--help}'[Print help]'\n        ;;\n"
        }
        // Autoloaded, the file is the function's body; sourced, it defines the function.
        return text
            + "    esac\n}\nif [[ $funcstack[1] == _ink ]]; then\n    _ink \"$@\"\nelse\n    compdef _ink ink\nfi\n"
    }

    private static func zsh(_ option: OptionSyntax, _ program: ProgramSyntax) -> String {
        let action =
            switch option.completedValues(in: program) {
            case .any: " "
            case .files: "_files"
            case .folders: "_files -/"
            case .words(let words, false, nil): "(\(words.joined(separator: " ").replacing(":", with: "\\:")))"
            // A blank first: nothing is added to the words.
            case .words(let words, let isList, let asked):
                " _ink_offer '\(asked?.rawValue ?? "")' '\(isList ? "," : "")' \(words.joined(separator: " "))"
            }
        guard option.isOption else {
            let repeats = option.kind == .arguments ? "*" : ""
            return quoted("\(repeats):\(option.key):\(action)")
        }
        let help = option.help.replacing("\\", with: "\\\\").replacing("[", with: "\\[").replacing("]", with: "\\]")
            .replacing(":", with: "\\:")
        let shown = option.shown.replacing(":", with: "\\:")
        let value = option.kind == .flag ? "" : ":\(shown):\(action)"
        let names = option.spellings
        // A repeatable option does not exclude any option, not even itself.
        let before = option.kind == .values ? "*" : names.count > 1 ? "(\(names.joined(separator: " ")))" : ""
        let spelled = names.count > 1 ? "{\(names.joined(separator: ","))}" : names[0]
        return (before.isEmpty ? "" : quoted(before)) + spelled + quoted("[\(help)]\(value)")
    }

    // MARK: - fish

    private static func fish(_ program: ProgramSyntax) -> String {
        var text = """
            # fish completion for ink; made by "ink completions fish"
            # The words that continue a list with commas.
            function __ink_list
                set -l token (commandline -ct | string replace -r -- '^--?[a-z-]+=' '')
                set -l start ''
                string match -q -- '*,*' $token; and set start (string match -r -- '.*,' $token)
                for word in $argv
                    contains -- $word (string split -- , $token); or echo $start$word
                end
            end
            function __ink_ask
                command -q ink; or return
                set -l line (commandline -op)
                command ink \(AskedValues.command) $argv[1] $line[2..-1] 2>/dev/null
            end
            complete -c ink -f
            complete -c ink -n __fish_use_subcommand -s h -l help -d 'Print help'
            complete -c ink -n __fish_use_subcommand -s v -l version -d 'Print the version'

            """
        for command in program.topCommands {
            text += "complete -c ink -n __fish_use_subcommand -a \(command.name) -d \(fishQuoted(command.summary))\n"
            let names = names(in: command, program)
            for (name, member) in zip(names, program.family(command.name)) {
                text += "complete -c ink -n '__fish_seen_subcommand_from \(command.name)"
                text += "; and not __fish_seen_subcommand_from \(names.joined(separator: " "))'"
                text += " -a \(name) -d \(fishQuoted(member.summary))\n"
            }
        }
        for command in program.commands {
            let words = command.name.split(separator: " ")
            let seen = words.map { "__fish_seen_subcommand_from \($0)" }.joined(separator: "; and ")
            let start = "complete -c ink -n '\(seen)'"
            for option in command.options {
                let values = fish(option.completedValues(in: program))
                guard option.isOption else {
                    if !values.isEmpty { text += "\(start) \(values)\n" }
                    continue
                }
                let names = option.spellings.map {
                    $0.hasPrefix("--") ? "-l \($0.dropFirst(2))" : "-s \($0.dropFirst())"
                }
                let value = option.kind == .flag ? "" : values.isEmpty ? " -x" : " -r \(values)"
                text += "\(start) \(names.joined(separator: " "))\(value) -d \(fishQuoted(option.help))\n"
            }
        }
        return text
    }

    private static func fish(_ values: OptionValues) -> String {
        switch values {
        case .any: ""
        case .files: "-F"
        case .folders: "-a '(__fish_complete_directories)'"
        case .words(let words, false, nil): "-a '\(words.joined(separator: " "))'"
        case .words(let words, let isList, let asked):
            fish(words + (asked.map { ["(__ink_ask \($0.rawValue))"] } ?? []), isList: isList)
        }
    }

    private static func fish(_ words: [String], isList: Bool) -> String {
        let all = words.joined(separator: " ")
        return isList ? "-a '(__ink_list \(all))'" : "-a '\(all)'"
    }

    /// For bash and zsh.
    private static func quoted(_ text: String) -> String { "'\(text.replacing("'", with: "'\\''"))'" }

    private static func fishQuoted(_ text: String) -> String {
        "'\(text.replacing("\\", with: "\\\\").replacing("'", with: "\\'"))'"
    }
}
