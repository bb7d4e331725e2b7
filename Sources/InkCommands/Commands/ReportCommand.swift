import InkEngine
import InkExports
import InkJSON

/// `ink report merge`: one report of a run in parts.
enum ReportCommand {
    static func merge(_ parsed: ParsedCommand, _ environment: CommandEnvironment) throws(CommandError) -> ExitCode {
        try Interrupts.leaveClean(environment)
        let console = environment.console
        let report = try ExportReport.merging(parsed.all("REPORT")) { console.warning($0) }
        for failure in report.records.compactMap(\.failure) { console.error(failure.reason) }
        if let parts = report.parts, !parts.missing.isEmpty {
            let some = parts.missing.prefix(10).map(String.init).joined(separator: ", ")
            console.error(
                "\(parts.missing.count) of \(parts.count) parts have no report: \(some)"
                    + "\(parts.missing.count > 10 ? ", ..." : "")")
        }
        if let path = parsed.value("output") { try CommandError.wrapping(try report.write(to: path)) }
        if parsed.isGiven("json") {
            try console.print(report.json.text())
        } else {
            try console.printText(report.summary.text(report.records))
        }
        return report.exitCode
    }
}
