import CSystem
import InkEngine
import InkExports
import InkSystem

/// The `ink` program: its commands, apart from the process around them.
public enum InkCommands {
    /// Runs the process's command line; the result is its exit status.
    public static func main() -> Int32 {
        OpenFiles.fillStandardStreams()
        ProcessMemory.liveWithinLimits()
        ProcessMemory.returnLargeBlocks()
        var arguments: [String] = []
        var count: Int32 = 0
        let strings = ink_arguments(&count)
        // Without the program's name.
        for case let string? in (0..<Int(count)).dropFirst().map({ strings?[$0] }) {
            // A repaired path would name a different file.
            guard let argument = String(validatingCString: string) else {
                Console.process.error(
                    "the argument \"\(String(cString: string))\" is not UTF-8; rename the file, or give its folder")
                return ExitCode.usage.rawValue
            }
            arguments.append(argument)
        }
        return run(arguments, .process).rawValue
    }

    /// Runs a command line without the program's name. Errors are printed to standard error.
    static func run(_ arguments: [String], _ environment: CommandEnvironment) -> ExitCode {
        defer { environment.console.sayRemainingErrors() }
        do {
            if arguments.first == AskedValues.command {
                let values = AskedValues.values(Array(arguments.dropFirst()), environment)
                if !values.isEmpty { try environment.console.print(values.joined(separator: "\n")) }
                return .done
            }
            switch try CommandLineParser.parse(arguments, program: .ink) {
            case .text(let text): try environment.console.print(text.droppingLastNewlines())
            case .command(let parsed): return try run(parsed, environment)
            }
            return .done
        } catch {
            if error != .outputClosed { environment.console.error(error.description) }
            return error.exitCode
        }
    }

    private static func run(_ parsed: ParsedCommand, _ environment: CommandEnvironment) throws(CommandError) -> ExitCode
    {
        guard UserSettings.apply(to: parsed.name), let file = try UserSettings.read(environment.variables) else {
            return try dispatch(parsed, environment)
        }
        var environment = environment
        environment.userSettings = file
        return try dispatch(try UserSettings.adding(file, to: parsed), environment)
    }

    private static func dispatch(
        _ parsed: ParsedCommand, _ environment: CommandEnvironment
    ) throws(CommandError) -> ExitCode {
        if let problem = KernelLevel.environmentProblem() { throw .usage(problem) }
        if parsed.name.hasPrefix(CommandSyntax.template.name + " ") {
            return try TemplateCommand.run(parsed, environment)
        }
        switch parsed.name {
        case "export": return try ExportCommand.run(parsed, environment)
        case "pack": return try PackCommand.run(parsed, environment)
        case "inspect": return try InspectCommand.run(parsed, environment)
        case "import": return try ImportCommand.run(parsed, environment)
        case "report merge": return try ReportCommand.merge(parsed, environment)
        case "preset": return try PresetCommand.run(parsed, environment)
        case "broker":
            ProcessMemory.returnLargeBlocks(from: 1 << 20)
            return try BrokerCommand.run(parsed, environment)
        case "keygen": return try KeygenCommand.run(parsed, environment)
        case "worker": return try WorkerCommand.run(parsed, environment)
        case "submit": return try SubmitCommand.run(parsed, environment)
        case "wait": return try WaitCommand.run(parsed, environment)
        case "status": return try StatusCommand.run(parsed, environment)
        case "jobs": return try StatusCommand.jobs(parsed, environment)
        case "story": return try StatusCommand.story(parsed, environment)
        case "cancel": return try OrderCommands.cancel(parsed, environment)
        case "pause": return try OrderCommands.pause(parsed, environment)
        case "resume": return try OrderCommands.resume(parsed, environment)
        case "retry": return try OrderCommands.retry(parsed, environment)
        case "priority": return try OrderCommands.priority(parsed, environment)
        case "purge": return try OrderCommands.purge(parsed, environment)
        case "drain": return try OrderCommands.drain(parsed, environment)
        case "doctor": return try DoctorCommand.run(parsed, environment)
        case "bench": return try BenchCommand.run(parsed, environment)
        case "version":
            try environment.console.print(ProgramSyntax.ink.version)
            return .done
        case "help":
            let topic = parsed.isGiven("COMMAND") ? parsed.all("COMMAND").joined(separator: " ") : nil
            let text =
                parsed.isGiven("man")
                ? try ManPage.text(of: topic, program: .ink) : try CommandLineParser.help(for: topic, program: .ink)
            try environment.console.print(text.droppingLastNewlines())
            return .done
        case "completions":
            let script = try CompletionScript.text(for: parsed.value("SHELL"), program: .ink)
            try environment.console.print(script.droppingLastNewlines())
            return .done
        default: throw .usage("there is no command \"\(parsed.name)\"")
        }
    }
}

extension String {
    func droppingLastNewlines() -> String {
        var text = self[...]
        while text.last?.isNewline == true { text = text.dropLast() }
        return String(text)
    }
}
