import Testing

/// A rule of the house that a program can check, with examples of what breaks it and of what keeps it.
struct Rule: Sendable, CustomTestStringConvertible {
    var name: String
    var check: @Sendable (Repository) -> [Finding]
    /// Each breaks the rule in one place.
    var bad: [[String: String]]
    var good: [[String: String]]

    var testDescription: String { name }

    static let all = [imports, limits, paths, modules, fragments, reasons, sizes] + words

    /// A rule about each file by itself.
    private static func each(
        _ name: String, bad: [[String: String]], good: [[String: String]],
        _ check: @escaping @Sendable (Repository.File) -> [(line: Int, advice: String)]
    ) -> Rule {
        Rule(
            name: name,
            check: { repository in
                repository.files.flatMap { file in
                    check(file).map { Finding(file: file, line: $0.line, advice: $0.advice) }
                }
            }, bad: bad, good: good)
    }

    // MARK: C

    /// The folders in which a C target is imported, by their last names.
    static let importers: [String: Set<String>] = [
        "CColor": ["Codec", "Planes"],
        "CCommandLine": ["Arguments"],
        "CCrypto": ["Values"],
        "CExpat": ["Interop"],
        "CGIF": ["GIF"],
        "CHEIF": ["HEIF"],
        "CISAL": ["Framing", "Interop"],
        "CJPEG": ["JPEG"],
        "CJSON": ["Interop"],
        "CJXL": ["JXL"],
        "CKernels": [
            "CanvasPatterns", "Codec", "Compositing", "Contours", "Coverage", "Dots", "Interop", "Kernels", "Lines",
            "Marks", "Nearest", "Parts", "Resampling", "Shapes", "Waves",
        ],
        "CLazy": ["Commands"],
        "CMicroHTTP": ["Server"],
        "CPNG": ["Interop"],
        "CPages": ["API"],
        "CRecipes": ["Interop"],
        "CSQLite": ["InkStore"],
        "CScoreGlyphs": ["Interop"],
        "CSVG": ["Interop"],
        "CSystem": [
            "Codec", "Console", "Files", "InkCommands", "InkSystem", "Interop", "Loop", "Run", "Server", "Threads",
            "Transport",
        ],
        "CTIFF": ["TIFF"],
        "CText": ["Interop"],
        "CURL": ["Notices"],
        "CVersions": ["Commands"],
        "CWebP": ["WebP"],
        "CZeroMQ": ["Security", "Transport"],
        "CZip": ["Interop"],
        "CZlib": ["Drawing", "Interop", "PNG"],
        "CZstd": ["Compression", "TIFF"],
    ]

    static let imports = Rule(
        name: "C is imported in few folders",
        check: { repository in
            var unused = importers
            var findings: [Finding] = []
            for file in repository.files where file.isSource {
                for (target, line) in file.matches(#"^(?:@\w+ +)?(?:\w+ +)?import +(C[A-Z]\w*)"#) {
                    guard importers[target]?.contains(file.folder) != true else {
                        unused[target]?.remove(file.folder)
                        continue
                    }
                    let places = importers[target, default: []].sorted().joined(separator: ", ")
                    let advice = "call \(target) in \(places), or add \"\(file.folder)\" to Rule.importers and say why"
                    findings.append(Finding(file: file, line: line, advice: advice))
                }
            }
            guard repository.files.count > 2 else { return findings }  // Examples have few of the files.
            let table = Repository.File(path: "Tests/InkTidyTests/Rule.swift", text: "")
            return findings
                + unused.sorted { $0.key < $1.key }.flatMap { target, folders in
                    folders.sorted().map { folder in
                        let advice = "strike \"\(folder)\" out of Rule.importers: nothing there imports \(target)"
                        return Finding(file: table, line: 1, advice: advice)
                    }
                }
        },
        bad: [["Sources/InkHTTP/API/Router.swift": "import Glibc\ninternal import CPNG\n"]],
        good: [
            ["Sources/InkEngine/PNG/Interop/PNGRows.swift": "import CPNG\n"],
            ["Tests/InkEngineTests/PNG/PNGTests.swift": "import CPNG\n"],
        ])

    // MARK: Limits

    /// Relations of constants that no test can see together; the others are tested by their values.
    static let relations = [
        "PSDFile.swift edgePixelsMax == PSDAssembler.swift edgePixelsMax",
        "ImageHeader.swift edgePixelsMax <= ImageRows.swift edgePixelsMax",
        "SubmittedMarks.swift overlaysMax == OverlayFile.swift overlaysMax",
        "SubmittedMarks.swift overlayBytesMax <= OverlayFile.swift bytesMax",
        "PNGProfile.swift byteCountMax <= ink_color.c profile_bytes_max",
        "SheetWriting.swift edgePixelsMax <= Limits.swift edgePixels",
        "Limits.swift edgePixelsMax <= PictureDraft.swift edgeMax",
    ]

    static let limits = Rule(
        name: "Limits that depend on each other agree",
        check: { repository in
            relations.compactMap { relation in
                let words = relation.split(separator: " ").map(String.init)
                let files = [words[0], words[3]].compactMap { name in repository.files.first { $0.name == name } }
                // Examples have some of the files only.
                guard let first = files.first, files.count == 2 || repository.files.count > 2 else { return nil }
                guard let left = constant(words[1], in: first), let other = files.last, files.count == 2,
                    let right = constant(words[4], in: other)
                else {
                    return Finding(file: first, line: 1, advice: "correct Rule.relations: no longer there: \(relation)")
                }
                guard words[2] == "==" ? left.value != right.value : left.value > right.value else { return nil }
                return Finding(
                    file: first, line: left.line,
                    advice:
                        "change \(words[1]), \(left.value), or \(other.path):\(right.line), \(right.value): \(relation)"
                )
            }
        },
        bad: [
            [
                "a/PSDFile.swift": "let edgePixelsMax = 300_000\n",
                "b/PSDAssembler.swift": "let edgePixelsMax = 30_000\n",
            ],
            [
                "a/PNGProfile.swift": "let byteCountMax = 32 << 20\n",
                "b/ink_color.c": "int profile_bytes_max = 16 << 20;\n",
            ],
        ],
        good: [
            [
                "a/PNGProfile.swift": "let byteCountMax = 16 << 20\n",
                "b/ink_color.c": "int profile_bytes_max = 1 << 25;\n",
            ]
        ])

    /// The value of a constant that is `300_000`, `16 << 20` or `4 * 1024`, and its line.
    private static func constant(_ name: String, in file: Repository.File) -> (value: Int, line: Int)? {
        guard let found = file.matches(#"\b\#(name)(?:: \w+)? = ([0-9][0-9_ <*]*)"#).first else { return nil }
        let text = found.text.filter { $0 != "_" && $0 != " " }
        let factors = text.split(separator: "*").map { factor in
            let parts = factor.split(separator: "<").compactMap { Int($0) }
            return parts.count == 2 ? parts[0] << parts[1] : parts[0]
        }
        return (factors.reduce(1, *), found.line)
    }

    // MARK: Documents

    static let paths = Rule(
        name: "Paths in documents exist",
        check: { repository in
            repository.files.filter(\.isDocument).flatMap { file in
                file.matches(#"`((?:[A-Za-z0-9_.+-]+/)+[A-Za-z0-9_.+-]*)`"#).compactMap { path, line in
                    let path = path.hasSuffix("/") ? String(path.dropLast()) : path
                    let top = ["Sources", "Tests", "docs", "Scripts", "Benchmarks", "Fuzz"]
                    let isWhole = top.contains { path.hasPrefix($0 + "/") }
                    guard isWhole || path.hasSuffix(".swift") || path.hasSuffix(".cpp") else { return nil }
                    let exists = repository.paths.contains { $0 == path || (!isWhole && $0.hasSuffix("/" + path)) }
                    return exists
                        ? nil : Finding(file: file, line: line, advice: "correct the path \(path): nothing is there")
                }
            }
        },
        bad: [["docs/testing.md": "See\n`Sources/InkEngine/Gone` for it.\n"], ["README.md": "`Marks/Gone.swift`\n"]],
        good: [["docs/testing.md": "`docs/testing.md`, `Tests/<Module>Tests`, `a/b`, `Marks/*.swift`\n"]])

    static let modules = Rule(
        name: "docs/architecture.md has the modules and folders that there are",
        check: { repository in
            guard let document = repository.files.first(where: { $0.path == "docs/architecture.md" }) else { return [] }
            let modules = Set(repository.files.filter(\.isSource).map(\.module)).sorted()
            let unnamed = modules.filter { document.matches(#"\b\#($0)\b"#).isEmpty }
            let wrong = modules.flatMap { module in
                document.matches("^\\| `\(module)` \\| (.*)").flatMap { row, line in
                    Repository.File(path: "", text: row).matches("`([A-Z][A-Za-z]+)`").compactMap { name, _ in
                        let place = repository.paths.first { path in
                            let words = path.split { $0 == "/" || $0 == "." }
                            return words.dropFirst(1).first == module[...] && words.dropFirst(2).contains(name[...])
                        }
                        let isThere = place != nil || modules.contains(name)
                        return isThere ? nil : (line: line, advice: "correct \(name): it is nowhere in \(module)")
                    }
                }
            }
            return (unnamed.map { (line: 1, advice: "add \($0) to the table of modules") } + wrong).map {
                Finding(file: document, line: $0.line, advice: $0.advice)
            }
        },
        bad: [
            ["docs/architecture.md": "`InkEngine`\n", "Sources/InkNew/A.swift": "\n"],
            ["docs/architecture.md": "\n| `InkNew` | `Old`: what is new. |\n", "Sources/InkNew/New/A.swift": "\n"],
        ],
        good: [["docs/architecture.md": "| `InkNew` | `New`: `A`. |\n", "Sources/InkNew/New/A.swift": "\n"]])

    // MARK: Code

    static let fragments = each(
        "Comments name what they are about",
        bad: [
            ["Sources/A.swift": "/// Of the picture.\nlet width = 1\n"],
            ["Tests/A.swift": "let width = 1\n    /// The same for heights.\nlet height = 1\n"],
            ["Sources/A.swift": "/// nil: none.\nlet width: Int?\n"],
        ],
        good: [["Sources/A.swift": "/// The number\n/// Of pixels.\n/// Offers.\nlet width = 1\n"]]
    ) { file in
        guard file.isSwift else { return [] }
        return file.matches(#"(?:\A|^(?![ \t]*///)[^\n]*\n)[ \t]*/// (Of\b|The same\b|nil:)"#).map { start, line in
            (line, "begin with what is described, not with \"\(start)\": \"/// The picture's width.\"")
        }
    }

    static let reasons = each(
        "try? has a reason",
        bad: [["Sources/A.swift": "// A reason.\nlet a = 1\nlet b = try? c()\n"]],
        good: [
            [
                "Sources/A.swift":
                    "// Without a folder there is nothing to remove.\nlet a = try? b()\nlet c = try? d()\n"
            ],
            ["Sources/A.swift": "let a = try? b() // It may be gone.\nlet c: Entry? = nil\n"],
            ["Tests/A.swift": "let a = try? b()\n"],
        ]
    ) { file in
        guard file.isSource else { return [] }
        let attempts = Set(file.matches(#"^(?! *//).*\btry(\?)"#).map(\.line))
        var hasReason = false
        return (attempts.isEmpty ? [] : file.lines).enumerated().compactMap { index, line in
            let isAttempt = attempts.contains(index + 1)
            // The lines of a run share the reason above them.
            hasReason = line.drop { $0 == " " }.hasPrefix("//") || isAttempt && (hasReason || line.contains("// "))
            guard isAttempt, !hasReason else { return nil }
            return (index + 1, "say on this line or the one above why the error does not matter")
        }
    }

    static let linesMax = 600

    static let sizes = each(
        "Files have at most \(linesMax) lines",
        bad: [["Tests/A.swift": String(repeating: "\n", count: linesMax + 1)]],
        good: [["Sources/A.swift": String(repeating: "\n", count: linesMax)]]
    ) { file in
        // One finding for each ten lines too many, so that an allowance cannot grow much.
        let excess = file.lines.count - 1 - linesMax
        guard file.isSwift, excess > 0 else { return [] }
        return stride(from: 0, to: excess, by: 10).map {
            (linesMax + 1 + $0, "split the file: it has \(file.lines.count - 1) lines, \(linesMax) are possible")
        }
    }

    // MARK: Words

    /// Phrases that have to be read twice, and what to write.
    private static let phrases: [(name: String, pattern: String, instead: String, example: String)] = [
        (
            "others than", #"\bothers than\b"#, "name who: \"other machines\"",
            "Whether others than this machine may come."
        ),
        (
            "what is known of", #"\b[Ww]hat is (?:to be )?(?:told|said|known|left|missing|written|covered) of\b"#,
            "name the thing: \"facts about\", \"the rest of\"", "What is known of a document."
        ),
        (
            "told", #"\b(?:is|are|was|were|be|been) told\b(?! (?:apart|from|(?:not )?to)\b)|\btold (?:of|by)\b"#,
            "\"reports\", \"receives\"", "Whether the worker is told."
        ),
        ("leaves with", #"\bleaves? with\b"#, "\"exits with\"", "It leaves with 74."),
        (
            "a for per", #"\b(?:(?:\#(amounts)) an? (?:\#(wholes))|once a (?:second|minute|hour|day|run))\b"#,
            "\"per\"", "It takes 4 bytes a pixel."
        ),
        (
            "Of at the start", #"(?:(?<=[.!?] )|(?<=\| )|(?<=// )|^)Of(?= [a-z])"#, "the subject first",
            "It is read. Of a page the first line counts."
        ),
    ]

    private static let amounts =
        "bytes|[kMGT]i?B|pixels|points|bits|strokes|times|tasks|pictures|samples|lines|stamps|tiles"
    private static let wholes =
        "second|minute|hour|day|picture|pixel|tile|job|worker|stroke|sample|file|row|brush|page|thread|step|run|task|layer"
        + "|channel|line|client|core|piece|band"

    /// In documents and the program; the names of tests are no texts for users.
    static let words = phrases.map { phrase in
        each(
            "No \"\(phrase.name)\"",
            bad: [
                ["README.md": "# Ink\n\n\(phrase.example)\n"],
                ["Sources/A.swift": "// Why. \(phrase.example)\nlet a = 1\n"],
            ],
            good: [["README.md": "Other machines report four bytes per pixel, and exit with 74. Offers.\n"]]
        ) { file in
            guard file.isDocument || file.isSource else { return [] }
            return file.matches(phrase.pattern).map { text, line in
                (line, "instead of \"\(text)\" write \(phrase.instead)")
            }
        }
    }
}
