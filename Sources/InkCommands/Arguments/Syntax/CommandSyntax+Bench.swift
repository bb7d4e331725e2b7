import InkExports

extension CommandSyntax {
    static let bench = CommandSyntax(
        name: "bench",
        summary: "Measure export times on this machine against the device tiers",
        group: CommandGroup.help,
        notes: """

            Exports three built-in scenes (light, medium, heavy) and the projects of --projects, as "ink export"
            does, into a temporary folder (in TMPDIR or /tmp). Scenes and sizes take turns; the first run is not
            counted. Prints times, phases, throughput, peak memory and which device tiers are met (3 s, 5 s, 7 s
            up to 2K; larger sizes in proportion to their pixels).

            Examples:
              ink bench
              ink bench --size 2k --json before.json
              ink bench --size 2k --compare before.json --chart bench.svg
              ink bench --projects drawings --size 1080p --runs 5
            """,
        options: [
            .values("--size", "SIZE,...", "Sizes of the pictures (default: 2k,4k)"),
            .value("--projects", "DIR", "Also export the projects in this folder and its subfolders"),
            .value("-j,--workers", "N", "Render threads, 1 to 256 (default: one per usable core)"),
            .value("--runs", "N", "Number of counted runs, 1 to 1000 (default: 10)"),
            .value("--json", "FILE", "Write the machine, the settings and the times of every run"),
            .value("--chart", "FILE", "Write a chart (SVG)"),
            .value("--compare", "FILE", "Compare with an earlier run, a file written by --json"),
        ])
}
