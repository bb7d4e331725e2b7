extension CommandSyntax {
    static let bench = CommandSyntax(
        name: "bench",
        summary: "Measure export times on this machine against the device tiers",
        group: CommandGroup.help,
        notes: """

            Exports three built-in scenes (light, medium, heavy) and the projects of --projects, as "ink export"
            does, into a temporary folder (TMPDIR, else /tmp), again and again in turns; the first time is not
            counted. Prints times, phases, throughput, peak memory and which device tiers are kept (3 s, 5 s, 7 s
            up to 2K; larger sizes in proportion to their pixels). The numbers are about this machine.

            Examples:
              ink bench
              ink bench --size 2k --json before.json
              ink bench --size 2k --compare before.json --chart bench.svg
              ink bench --projects drawings --size 1080p --runs 5
            """,
        options: [
            .values("--size", "SIZE,...", "Sizes of the pictures (default: 2k,4k)"),
            .value("--projects", "DIR", "Also export the projects in this folder and all below it"),
            .value("-j,--workers", "N", "Render threads, 1 to 256 (default: one a usable core)"),
            .value("--runs", "N", "Runs that are counted, 1 to 1000 (default: 10)"),
            .value("--json", "FILE", "Write machine, settings and every run's times"),
            .value("--chart", "FILE", "Write a chart (SVG)"),
            .value("--compare", "FILE", "Say what is faster or slower than in this file of an earlier --json"),
        ])
}
