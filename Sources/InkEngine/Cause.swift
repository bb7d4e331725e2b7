/// An error as it was thrown, kept by one whose module does not know its type.
public struct Cause: Error, Sendable {
    public let error: any Error & Hashable

    public init(_ error: any Error & Hashable) { self.error = error }
}

extension Cause: Hashable {
    public static func == (a: Cause, b: Cause) -> Bool { a.error.erased == b.error.erased }

    public func hash(into hasher: inout Hasher) { hasher.combine(error.erased) }
}

extension Hashable {
    fileprivate var erased: AnyHashable { AnyHashable(self) }
}

extension Cause: CustomStringConvertible {
    public var description: String { "\(error)" }
}
