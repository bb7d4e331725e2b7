/// A broker's number for a task; unique during the life of the broker.
public struct TaskID: Hashable, Sendable, Comparable, CustomStringConvertible {
    public var rawValue: UInt64

    public init(_ rawValue: UInt64) { self.rawValue = rawValue }

    public static func < (a: TaskID, b: TaskID) -> Bool { a.rawValue < b.rawValue }

    public var description: String { "\(rawValue)" }
}

extension TaskID: WireValue {
    package init(from reader: inout ByteReader) throws(ProtocolError) { self.init(try reader.uint64("task id")) }
    package func write(to writer: inout ByteWriter) { writer.uint64(rawValue) }
}
