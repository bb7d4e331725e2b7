import InkExports

extension CommandSyntax {
    static let pack = CommandSyntax(
        name: "pack",
        summary: "Make add-ons, sticker packs, icons and sprites of packs",
        group: CommandGroup.pictures,
        notes: """

            A PATH is a pack (.inkpack), a folder of packs, - for standard input, or @list.txt. A pack says which
            pictures it has, how they vary, and for which targets. Without -o each archive is written next to its pack.
            Minecraft is a trademark of Mojang; ink is neither made nor approved by Mojang.

            Examples:
              ink pack creatures.inkpack -o out
              ink pack farm.inkpack --target whatsapp,sprites -o out
              ink pack farm.inkpack --items 'rainbow_*' --bundle item -o out
              ink pack --show-target mcaddon > mine.json
            """,
        options: [
            .arguments("PATH", "Packs, folders of packs, - or @list.txt"),
            .value("-o,--output", "DIR", "Folder of the archives, created if missing (default: next to each pack)"),
            .values("--target", "NAME,...", "Make these targets: of the pack, of ink, or paths of recipes"),
            .value("--bundle", "pack|item", "Make one bundle of all items, or one of each"),
            .values("--items", "ID,...", "Take only these items; * stands for any characters"),
            .values(
                "--set", "NAME=VALUE", "Set a value of the targets, over those of the pack and below those of items"),
            .flag("--folder", "Write the files into a folder of the archive's name instead"),
            .flag("--bump", "Raise the last number of the release where an archive has other content already"),
            .flag("--list-targets", "List the targets that ink has"),
            .value("--show-target", "NAME", "Print the recipe of a target"),
            .value("-j,--workers", "N", "Render threads, 1 to 256 (default: one per usable core); not with --broker"),
            .value(
                "--cache", "DIR", group: "Run",
                "Keep results of tiles in this folder, and render only what has changed since; not with --broker"),
            .value("--cache-size", "SIZE", group: "Run", "The most that they take there (default: 4G)"),
            .value(
                "--if-exists", "overwrite|skip-unchanged|suffix|fail", group: "Run",
                "What to do if an archive exists (default: overwrite); one with the same bytes is not touched"),
            .flag("--keep-going", group: "Run", "Continue after a failed picture (default)"),
            .flag("--fail-fast", group: "Run", "Stop at the first failed picture"),
            .flag("--strict", group: "Run", "Treat warnings as errors"),
            .flag("--dry-run", group: "Run", "List the bundles with their files and sizes, render nothing"),
            .value("--limits", "FILE", group: "Run", "JSON file with limits that replace the default ones"),
            .value("--report", "FILE", group: "Run", "Write a JSON report of all bundles"),
            .value("--contact-sheet", "FILE", group: "Run", "Write a PNG or JPEG of small pictures of all items"),
            .value("--contact-columns", "N", group: "Run", "Pictures in a row of the contact sheet (default: up to 8)"),
            .value("--contact-size", "N", group: "Run", "Edge of its small pictures, 32 to 1024 pixels (default: 256)"),
            .flag("-v,--verbose", group: "Run", "Print all warnings"),
            .flag("-q,--quiet", group: "Run", "Print only errors"),
            .flag("--json", group: "Run", "Print the report to standard output"),
            .value("--progress", "auto|plain|none", group: "Run", progressHelp),
        ] + RemoteSetting.exportOptions)
}
