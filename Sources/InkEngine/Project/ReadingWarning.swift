/// Something in an input that may have been read differently from what its author meant.
public struct ReadingWarning: Hashable, Sendable, CustomStringConvertible {
    public enum Kind: Hashable, Sendable {
        /// A key that the format does not have.
        case unknownKey
        case missingVersion
        /// An invalid value that has no effect on the picture.
        case leftOut
        /// A layer of a template that has no mask.
        case missingMask
        /// A missing brush preset, in a stroke that does not need it.
        case missingPreset
        /// A warning about the input that this project was converted from.
        case carried
        /// Anything else.
        case other
        /// Stands for all warnings after the first hundred.
        case further
    }

    public var kind: Kind
    /// The file inside a template, or next to the project; nil for the input itself.
    public var file: String?
    /// The first place inside the file; nil for the file as a whole.
    public var path: String?
    /// The problem, on one line.
    public var reason: String
    /// The number of places in the input.
    public var count: Int

    public init(_ kind: Kind, file: String? = nil, at path: String?, _ reason: String, count: Int = 1) {
        self.kind = kind
        self.file = file
        self.path = path
        self.reason = reason
        self.count = count
    }

    /// One line for a person, without the input's name.
    public var description: String {
        var line = file.map { "\($0): " } ?? ""
        if let path { line += path + (count > 1 ? " and \(count - 1) more" : "") + ": " }
        return line + reason
    }
}
