import InkDocuments
import InkEngine
import InkExports
import InkJSON

/// `ink template validate`: everything that is wrong with templates.
enum TemplateValidateCommand {
    static func run(_ parsed: ParsedCommand, _ environment: CommandEnvironment) throws(CommandError) -> ExitCode {
        let paths = parsed.all("TEMPLATE")
        guard !paths.isEmpty else { throw .usage("a TEMPLATE is needed (see \"ink help \(parsed.name)\")") }
        let limits = try environment.limits(parsed.value("limits"))
        var failures: [ExitCode] = []
        var documents: [JSONValue] = []
        for path in paths {
            let validation: TemplateValidation
            do throws(EngineError) {
                validation = try TemplateValidation(path: path, limits: limits)
            } catch {
                environment.console.error(error.description)
                failures.append(error.exitCode)
                continue
            }
            if validation.errorCount > 0 || parsed.isGiven("strict") && validation.warningCount > 0 {
                failures.append(.badInput)
            }
            if parsed.isGiven("json") {
                documents.append(json(path, validation))
            } else {
                try environment.console.printText(text(path, validation))
            }
        }
        if parsed.isGiven("json") { try environment.console.print(JSONValue.array(documents).text()) }
        return .combining(failures)
    }

    private static func text(_ path: String, _ validation: TemplateValidation) -> String {
        let sum =
            validation.findings.isEmpty
            ? "valid" : "\(counted(validation.errorCount, "error")), \(counted(validation.warningCount, "warning"))"
        let lines = validation.findings.map { finding in
            "  \(finding.severity.rawValue): " + (finding.place.isEmpty ? "" : finding.place + ": ") + finding.reason
        }
        return (["\(path): \(sum)"] + lines).map { $0.escapingControls() }.joined(separator: "\n")
    }

    private static func json(_ path: String, _ validation: TemplateValidation) -> JSONValue {
        [
            "template": .string(path), "errors": .integer(validation.errorCount),
            "warnings": .integer(validation.warningCount),
            "findings": .array(
                validation.findings.map { finding in
                    [
                        "severity": .string(finding.severity.rawValue), "place": .string(finding.place),
                        "reason": .string(finding.reason),
                    ]
                }),
        ]
    }
}
