import Glibc
import InkEngine
import InkExports
import InkHTTP
import InkSystem

extension NoticeTarget {
    /// Those of the settings.
    ///
    /// - Throws: `configuration`.
    static func read(_ settings: Settings) throws(CommandError) -> [NoticeTarget] {
        typealias Own = BrokerSetting
        var targets: [NoticeTarget] = []
        if let path = settings.text(Own.notifyCommand) {
            let absolute = FileSystem.absolute(path)
            guard access(absolute, X_OK) == 0 else {
                throw settings.refusal(Own.notifyCommand, "\(path) is not a program that can be run")
            }
            targets.append(.command(absolute))
        }
        guard let url = settings.text(Own.webhook) else {
            guard !settings.isSet(Own.webhookSecret) else {
                throw settings.refusal(Own.webhookSecret, "also needs --webhook")
            }
            return targets
        }
        guard url.hasPrefix("http://") || url.hasPrefix("https://") else {
            throw settings.refusal(Own.webhook, "\"\(url)\" is not an http or https address")
        }
        var secret: [UInt8]?
        if let path = settings.text(Own.webhookSecret) {
            let bytes: [UInt8]
            do throws(EngineError) { bytes = try InputFile.read(path: path, limitBytes: 1 << 16) } catch {
                throw settings.refusal(Own.webhookSecret, "\(error)")
            }
            // An editor's line end does not belong to it.
            let text = bytes.prefix { $0 != 10 && $0 != 13 }
            guard text.count >= 16 else {
                throw settings.refusal(Own.webhookSecret, "\(path) has fewer than 16 bytes in its first line")
            }
            secret = Array(text)
        }
        targets.append(.webhook(url: url, secret: secret))
        return targets
    }
}
