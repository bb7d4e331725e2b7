package import InkSystem

/// A request without its body.
package struct HTTPRequest: Sendable {
    package var method: String
    /// Percent-encoded, as it was sent.
    package var path: String
    /// Decoded, in the order in which they were sent.
    package var query: [(name: String, value: String)]
    /// By their names in small letters; several of one name are a list, with commas between them.
    package var headers: [String: String]

    package func header(_ name: String) -> String? { headers[name] }

    /// The parts of the path, decoded; nil if they are not UTF-8 in percent-encoding.
    package var pathParts: [String]? {
        var parts: [String] = []
        for part in path.split(separator: "/", omittingEmptySubsequences: false).dropFirst() {
            guard let decoded = PercentEncoding.decode(part) else { return nil }
            parts.append(decoded)
        }
        return parts
    }
}

/// An answer to a request.
package struct HTTPResponse: Sendable {
    /// The content of an answer.
    package enum Body: Sendable {
        case bytes([UInt8])
        /// A part of a file.
        case file(FileDescriptor, offset: Int, count: Int)
        /// As long as it lasts.
        case stream(any HTTPStream)
    }

    package var status: Int
    package var headers: [(name: String, value: String)]
    package var body: Body

    package init(_ status: Int, headers: [(name: String, value: String)] = [], body: Body = .bytes([])) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}

/// A body that comes about while it is sent.
package protocol HTTPStream: AnyObject, Sendable {
    /// The next bytes; nil at the end. Waits for them, at most some seconds, and may give none.
    func next() -> [UInt8]?
    /// Nobody wants more: `next` returns soon.
    func close()
}

/// What is done with the body of a request.
package enum HTTPIntake: Sendable {
    /// It is not read.
    case refuse(HTTPResponse)
    /// There is none, or it does not matter.
    case answer(@Sendable () throws(Problem) -> HTTPResponse)
    case take(any BodyTaker)
    /// The parts of a form, `multipart/form-data`.
    case takeForm(any FormTaker)
}

/// Takes the body of a request, piece by piece. Used by one thread. Each function throws if no more is wanted.
package protocol BodyTaker: AnyObject, Sendable {
    func take(_ bytes: UnsafeRawBufferPointer) throws(Problem)
    /// The answer to a body that has arrived whole.
    func end() throws(Problem) -> HTTPResponse
    /// The client is gone, or has its answer.
    func close()
}

/// Takes the parts of a form. Used by one thread. Each function throws if no more is wanted.
package protocol FormTaker: AnyObject, Sendable {
    /// A part begins, and the one before it has ended.
    func begin(_ part: FormPart) throws(Problem)
    /// The next bytes of that part.
    func take(_ bytes: UnsafeRawBufferPointer) throws(Problem)
    func end() throws(Problem) -> HTTPResponse
    func close()
}

/// The head of a part of a form (RFC 7578).
package struct FormPart: Hashable, Sendable {
    package var name: String
    /// nil if it is no file.
    package var fileName: String?
}

/// A body in memory.
package final class CollectedBody: BodyTaker {
    private let limit: Int
    private let then: @Sendable ([UInt8]) throws(Problem) -> HTTPResponse
    private nonisolated(unsafe) var bytes: [UInt8] = []

    package init(limit: Int, then: @escaping @Sendable ([UInt8]) throws(Problem) -> HTTPResponse) {
        self.limit = limit
        self.then = then
    }

    package func take(_ piece: UnsafeRawBufferPointer) throws(Problem) {
        guard piece.count <= limit - bytes.count else { throw .tooLarge("the body", limit) }
        bytes.append(contentsOf: piece)
    }

    package func end() throws(Problem) -> HTTPResponse { try then(bytes) }
    package func close() {}
}

/// Escapes of URLs and queries (RFC 3986).
package enum PercentEncoding {
    /// nil if an escape is cut or the bytes are not UTF-8. `plusIsSpace`: in queries.
    package static func decode(_ text: some StringProtocol, plusIsSpace: Bool = false) -> String? {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "+") where plusIsSpace: bytes.append(32)
            case UInt8(ascii: "%"):
                guard rest.count >= 2, let high = Character(Unicode.Scalar(rest.removeFirst())).hexDigitValue,
                    let low = Character(Unicode.Scalar(rest.removeFirst())).hexDigitValue
                else { return nil }
                bytes.append(UInt8(high * 16 + low))
            default: bytes.append(byte)
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }
}
