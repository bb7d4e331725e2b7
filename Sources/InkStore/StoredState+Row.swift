import InkProtocol

/// A state as a table row: a number, and bytes for its values.
extension StoredState {
    static let queuedCode: Int64 = 0
    static let startingCode: Int64 = 1
    static let publishingCode: Int64 = 2
    static let finishedCode: Int64 = 3
    static let failedCode: Int64 = 4
    static let cancelledCode: Int64 = 5

    var code: Int64 {
        switch self {
        case .queued: Self.queuedCode
        case .starting: Self.startingCode
        case .publishing: Self.publishingCode
        case .ended(.finished): Self.finishedCode
        case .ended(.failed): Self.failedCode
        case .ended(.cancelled), .ended(.unknown): Self.cancelledCode
        }
    }

    var detail: [UInt8] {
        switch self {
        case .queued, .starting, .ended(.cancelled), .ended(.unknown): return []
        case .publishing(let seal):
            var writer = ByteWriter()
            writer.text(seal.target, limit: .max)
            writer.text(seal.temporary, limit: .max)
            return writer.bytes + seal.picture.stored
        case .ended(.finished(let picture)): return picture.stored
        case .ended(.failed(let code, let text)): return [code.rawValue] + Array(text.utf8)
        }
    }

    init(code: Int64, detail: [UInt8]) throws(ProtocolError) {
        switch code {
        case Self.queuedCode: self = .queued
        case Self.startingCode: self = .starting
        case Self.publishingCode:
            var reader = ByteReader(detail)
            let target = try reader.text("target", limit: .max)
            let temporary = try reader.text("temporary", limit: .max)
            self = .publishing(
                SealedPicture(
                    target: target, temporary: temporary, picture: try PictureReport(stored: reader.rest())))
        case Self.finishedCode: self = .ended(.finished(try PictureReport(stored: detail)))
        case Self.failedCode:
            guard let code = detail.first.flatMap({ FailureCode(rawValue: $0) }) else {
                throw .badValue(what: "failure", offset: 0, found: "\(detail.prefix(1))", expected: "a known code")
            }
            self = .ended(.failed(code, text: String(decoding: detail.dropFirst(), as: UTF8.self)))
        case Self.cancelledCode: self = .ended(.cancelled)
        default: throw .badValue(what: "state", offset: 0, found: "\(code)", expected: "0 to 5")
        }
    }
}
