import Glibc
import InkEngine
import InkSystem

extension FileSystem {
    private static let pieceBytes = 1 << 18

    /// Passes on a file piece by piece.
    static func forEachPiece(
        of path: String, _ body: ([UInt8]) throws(EngineError) -> Void
    ) throws(EngineError) {
        let file = try EngineError.wrapping(path) { () throws(SystemFailure) in
            try FileDescriptor(opening: path, flags: O_RDONLY, operation: "open")
        }
        var buffer = [UInt8](repeating: 0, count: pieceBytes)
        while true {
            let count = try EngineError.wrapping(path) { () throws(SystemFailure) in try file.read(into: &buffer) }
            if count == 0 { return }
            try body(Array(buffer[..<count]))
        }
    }

    /// Whether two files have the same bytes; false where the second is no regular file.
    static func isSame(_ path: String, _ other: String) throws(EngineError) -> Bool {
        guard let one = try status(path), let two = try status(other), two.kind == .regular,
            one.byteCount == two.byteCount
        else { return false }
        let file = try EngineError.wrapping(other) { () throws(SystemFailure) in
            try FileDescriptor(opening: other, flags: O_RDONLY | O_NONBLOCK, operation: "open")
        }
        var rest: [UInt8] = []
        var isSame = true
        var buffer = [UInt8](repeating: 0, count: pieceBytes)
        try forEachPiece(of: path) { (piece) throws(EngineError) in
            while isSame, rest.count < piece.count {
                let count = try EngineError.wrapping(other) { () throws(SystemFailure) in try file.read(into: &buffer) }
                if count == 0 { isSame = false }
                rest += buffer[..<count]
            }
            isSame = isSame && rest.starts(with: piece)
            rest.removeFirst(min(piece.count, rest.count))
        }
        return isSame
    }

    /// The path with `-1`, `-2`, ... before its ending that no file has.
    static func freeName(_ path: String) throws(EngineError) -> String {
        let ending = path[(path.lastIndex(of: ".") ?? path.endIndex)...]
        var number = 1
        while try exists("\(path.dropLast(ending.count))-\(number)\(ending)") { number += 1 }
        return "\(path.dropLast(ending.count))-\(number)\(ending)"
    }
}
