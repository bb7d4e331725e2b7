import InkEngine
import InkExports
import InkProtocol
import InkReading
import InkWorker

/// `ink worker --replay FILE`: renders one task that a broker has kept, and reports the result.
enum ReplayCommand {
    static func run(_ path: String, _ environment: CommandEnvironment) throws(CommandError) -> ExitCode {
        let report: ReplayReport
        do throws(EngineError) { report = try TaskReplay.run(path: path, documents: TaskDocuments()) } catch {
            throw .engine(error)
        }
        func milliseconds(_ nanoseconds: UInt64) -> String {
            Shown.decimal(Double(nanoseconds) / 1e6, places: 1) + " ms"
        }
        try environment.console.print(
            """
            \(report.title.escapingControls())
            done: decode \(milliseconds(report.phases.decode)), raster \(milliseconds(report.phases.raster)), \
            composite \(milliseconds(report.phases.composite)), encode \(milliseconds(report.phases.encode))
            result: \(report.resultBytes) bytes, SHA-256 \(report.digest.hexadecimal)
            """)
        return .done
    }
}
