/// How a service logs.
struct LogArguments: Hashable, Sendable {
    var format: Log.Format
    var level: LogLevel

    init(_ settings: Settings) {
        format = settings.text(LogSetting.format).flatMap(Log.Format.init(rawValue:)) ?? .text
        level = settings.text(LogSetting.level).flatMap(LogLevel.init(rawValue:)) ?? .info
    }
}
