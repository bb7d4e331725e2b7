package import InkSystem

/// The place of an error in the input.
public struct Place: Hashable, Sendable, CustomStringConvertible {
    /// The file as the user named it; `standard input` for `-`.
    public var file: String
    /// The path inside the file (`layers[3].strokes[17].points[4]`) or inside a bundle; nil for the file as a whole.
    public var path: String?

    public init(file: String, path: String? = nil) {
        self.file = file
        self.path = path
    }

    public var description: String { path.map { "\(file): \($0)" } ?? file }
}

/// Input that the engine rejects, and where. `description` is one line that a person can act on.
public enum EngineError: Error, Hashable, Sendable {
    /// The input violates a rule of its format.
    case badInput(Place, reason: String)
    /// The input is well formed, but larger than a limit allows.
    case overLimit(Place, what: String, found: String, limit: String)
    /// A library that the input or the picture needs is not installed here; another machine may have it.
    case unavailable(Place, reason: String)
    /// The system failed to read or write.
    case io(path: String, operation: String, errno: Int32)
    /// The caller no longer needs the result.
    case cancelled
    /// A caller violated the engine's contract: a defect of the program, not of the input.
    case internalError(String)
}

extension EngineError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .badInput(let place, let reason), .unavailable(let place, let reason): "\(place): \(reason)"
        case .overLimit(let place, let what, let found, let limit):
            "\(place): \(what) is \(found), the limit is \(limit)"
        case .io(let path, let operation, let errno): "\(path): cannot \(operation): \(systemMessage(errno))"
        case .cancelled: "cancelled"
        case .internalError(let message): "internal error: \(message)"
        }
    }
}

extension EngineError {
    /// A failure of the system; `path` where the user knows the file by another name than the failed call.
    package init(_ failure: SystemFailure, path: String? = nil) {
        self = .io(path: path ?? failure.place, operation: failure.operation, errno: failure.errno)
    }

    /// Runs `body` and reports its failure as a problem with the file, called `path` if that is given.
    package static func wrapping<T>(
        _ path: String? = nil, _ body: () throws(SystemFailure) -> T
    ) throws(EngineError) -> T {
        do throws(SystemFailure) {
            return try body()
        } catch {
            throw EngineError(error, path: path)
        }
    }

    /// Why a part of a document is left out, without its place; nil for errors that are not the part's own.
    package var leftOutReason: String? {
        switch self {
        case .badInput(_, let reason): reason
        case .overLimit(_, let what, let found, let limit): "\(what) is \(found), the limit is \(limit)"
        case .unavailable, .io, .cancelled, .internalError: nil
        }
    }
}
