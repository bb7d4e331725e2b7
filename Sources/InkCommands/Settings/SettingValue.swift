import InkEngine
import InkExports

/// The value of a setting, checked.
enum SettingValue: Hashable, Sendable {
    case text(String)
    case count(Int)
    case bytes(Int)
    case milliseconds(Int)
    /// 0 to 1.
    case share(Double)
    case on(Bool)

    /// As a person writes it; reads back as the same value.
    var text: String {
        switch self {
        case .text(let text): text
        case .count(let count): String(count)
        case .bytes(let bytes): SettingUnit.text(bytes, SettingUnit.sizes)
        case .milliseconds(let time): SettingUnit.text(time, SettingUnit.durations)
        case .share(let share): share == share.rounded() ? String(Int(share)) : String(share)
        case .on(let isOn): isOn ? "true" : "false"
        }
    }
}

/// What a setting's values look like, and the bounds that they keep.
enum SettingKind: Hashable, Sendable {
    /// Not empty, no control characters, at most so many bytes.
    case text(bytesMax: Int)
    /// Where to listen or to connect: `tcp://HOST:PORT`, or `ipc://PATH`.
    case endpoint(binds: Bool)
    /// A file or a folder; no control characters.
    case path
    case count(ClosedRange<Int>)
    /// `512K`, `64M`, `2G`, `1T` (powers of 1024) or bytes.
    case bytes(ClosedRange<Int>)
    /// `250ms`, `30s`, `15m`, `12h`, `7d`; without a unit in `plain`, or wrong when that is nil. The range is in
    /// milliseconds.
    case duration(plain: DurationUnit?, ClosedRange<Int>)
    /// `1%` or `0.01`.
    case share
    case choice([String])
    /// On or off.
    case flag
}

/// The unit of a time that is written without one.
enum DurationUnit: Int, Hashable, Sendable {
    case milliseconds = 1
    case seconds = 1000
}

/// Why a text is not a valid value; printed after its place.
struct SettingRefusal: Error, Hashable, CustomStringConvertible {
    var reason: String

    var description: String { reason }
}

extension SettingKind {
    /// Reads one value.
    func read(_ text: String) throws(SettingRefusal) -> SettingValue {
        switch self {
        case .text(let bytesMax):
            guard !text.isEmpty, text.utf8.count <= bytesMax, text.escapingControls() == text else {
                throw refusal(text, "must be text of 1 to \(bytesMax) bytes without control characters")
            }
            return .text(text)
        case .endpoint(let binds): return .text(try endpoint(text, binds: binds))
        case .path:
            guard !text.isEmpty, text.utf8.count <= 4096, text.escapingControls() == text else {
                throw refusal(text, "must be a path of 1 to 4096 bytes without control characters")
            }
            return .text(text)
        case .count(let range):
            guard let number = Int(text), range.contains(number) else {
                throw refusal(text, "is not a whole number from \(range.lowerBound) to \(range.upperBound)")
            }
            return .count(number)
        case .bytes(let range):
            guard let bytes = SettingUnit.value(text, SettingUnit.sizes, plain: 1), range.contains(bytes) else {
                let limits = [range.lowerBound, range.upperBound].map { SettingUnit.text($0, SettingUnit.sizes) }
                throw refusal(text, "is not a size from \(limits[0]) to \(limits[1]) (such as 64M or 2G)")
            }
            return .bytes(bytes)
        case .duration(let plain, let range):
            guard let time = SettingUnit.value(text, SettingUnit.durations, plain: plain?.rawValue),
                range.contains(time)
            else {
                let limits = [range.lowerBound, range.upperBound].map { SettingUnit.text($0, SettingUnit.durations) }
                throw refusal(
                    text, "is not a time from \(limits[0]) to \(limits[1]) (such as 250ms, 30s, 15m, 12h or 7d)")
            }
            return .milliseconds(time)
        case .share: return .share(try share(text))
        case .choice(let words):
            guard words.contains(text) else {
                throw refusal(text, "is not \(words.dropLast().joined(separator: ", ")) or \(words.last ?? "")")
            }
            return .text(text)
        case .flag:
            switch text.lowercased() {
            case "true", "yes", "on", "1": return .on(true)
            case "false", "no", "off", "0": return .on(false)
            default: throw refusal(text, "is not true or false")
            }
        }
    }

    private func refusal(_ text: String, _ reason: String) -> SettingRefusal {
        SettingRefusal(reason: "\"\(text)\" \(reason)")
    }

    private func share(_ text: String) throws(SettingRefusal) -> Double {
        let isPercent = text.hasSuffix("%")
        let number = Double(plainDecimal: isPercent ? text.dropLast() : text[...])
        guard let share = number.map({ isPercent ? $0 / 100 : $0 }), (0...1).contains(share) else {
            throw refusal(text, "is not a share from 0 to 1 (such as 1% or 0.01)")
        }
        return share
    }

    /// Only the form; whether the host exists is the network's affair.
    private func endpoint(_ text: String, binds: Bool) throws(SettingRefusal) -> String {
        if let path = text.afterPrefix("ipc://") {
            // sun_path has 108 bytes, the last one a NUL.
            guard !path.isEmpty, path.utf8.count <= 107 else {
                throw refusal(text, "names no socket of 1 to 107 bytes")
            }
            return text
        }
        let example = binds ? "tcp://127.0.0.1:5570, tcp://*:5570" : "tcp://HOST:5570 of workers, :5571 of clients"
        guard let address = text.afterPrefix("tcp://"), let colon = address.lastIndex(of: ":") else {
            throw refusal(text, "is not tcp://HOST:PORT (\(example)) or ipc://PATH")
        }
        let host = address[..<colon]
        let port = address[address.index(after: colon)...]
        let isBracketed = host.hasPrefix("[") && host.hasSuffix("]") && host.count > 2
        let isHost =
            isBracketed || host.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7f && !"[]:/;@?#*".utf8.contains($0) }
        guard !host.isEmpty, binds && host == "*" || isHost else {
            throw refusal(text, "has no host that can be used (\(example))")
        }
        // `*` as a port: the system chooses one, the log says which.
        let isPort = port.allSatisfy(\.isNumber) && Int(port).map { (1...65535).contains($0) } == true
        guard isPort || binds && port == "*" else {
            throw refusal(text, "has no port from 1 to 65535 (\(example))")
        }
        return text
    }
}

extension String {
    /// What stands behind a prefix; nil without it.
    func afterPrefix(_ prefix: String) -> Substring? { hasPrefix(prefix) ? dropFirst(prefix.count) : nil }
}
