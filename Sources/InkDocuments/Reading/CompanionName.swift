public import InkEngine

/// The name of a file that a document needs beside its own bytes, or of the list of such files.
///
/// A reader asks for files by these names, and whoever has the document's disk opens them. A name may come from a
/// machine that nobody trusts: only `init` makes one, and it takes no name that leaves the document's folders.
public struct CompanionName: Hashable, Sendable {
    public enum Kind: UInt8, Hashable, Sendable, CaseIterable {
        /// A picture in the project's folder, by its path in it.
        case image = 1
        /// A file of a folder that is a document, by its path in it.
        case folderFile = 2
        /// The folders of brush presets and the names of the files in them; the name is empty.
        case presetFolders = 3
        /// A brush preset: the number of its folder in that list, `/` and the name of its file.
        case preset = 4
    }

    /// The most bytes of a name.
    public static let bytesMax = 4096

    public let kind: Kind
    /// In UTF-8. Bytes, because Swift's == also equates canonically equivalent names, which may be two files.
    public let utf8: [UInt8]

    /// Checks a name; nil for one that no reader asks for.
    ///
    /// - Parameters:
    ///   - kind: what it names.
    ///   - utf8: the name, at most `bytesMax` bytes. A path is relative, uses `/`, and has neither `..` nor components
    ///     that do nothing.
    public init?(_ kind: Kind, utf8: [UInt8]) {
        guard utf8.count <= Self.bytesMax, let text = String(validating: utf8, as: UTF8.self) else { return nil }
        switch kind {
        case .presetFolders: guard utf8.isEmpty else { return nil }
        case .preset: guard Self.presetParts(utf8) != nil else { return nil }
        case .image, .folderFile:
            // What is no path inside a folder is no name, and a path has one name only.
            guard let path = try? BundlePath(text), path.text.utf8.elementsEqual(utf8) else { return nil }
        }
        self.kind = kind
        self.utf8 = utf8
    }

    /// The most bytes that a file of this name may have.
    ///
    /// - Parameter limits: those of the document.
    public func limitBytes(_ limits: Limits) -> Int {
        switch kind {
        case .presetFolders, .preset: PresetLibrary.fileBytesMax
        case .folderFile where self == .manifest: TemplateReader.manifestBytes(limits)
        case .image, .folderFile: limits.fileBytes
        }
    }

    static let presetFolders = CompanionName(.presetFolders, utf8: [])!
    static let manifest = CompanionName(.folderFile, utf8: Array(FolderBundle.manifestName.utf8))!

    /// The path of a picture or of a file in a folder; nil for presets.
    var path: BundlePath? {
        guard kind == .image || kind == .folderFile else { return nil }
        // It has been one when the name was made.
        return try? BundlePath(String(decoding: utf8, as: UTF8.self))
    }

    /// The number of a preset's folder, and the name of its file; nil for other kinds.
    var preset: (folder: Int, file: String)? { kind == .preset ? Self.presetParts(utf8) : nil }

    private static func presetParts(_ utf8: [UInt8]) -> (folder: Int, file: String)? {
        guard let slash = utf8.firstIndex(of: UInt8(ascii: "/")) else { return nil }
        let (digits, file) = (utf8[..<slash], utf8[(slash + 1)...])
        guard let folder = Int(String(decoding: digits, as: UTF8.self)), "\(folder)".utf8.elementsEqual(digits),
            folder >= 0, !file.contains(UInt8(ascii: "/")), !file.contains(0)
        else { return nil }
        let name = String(decoding: file, as: UTF8.self)
        return PresetFolder.isPreset(name) ? (folder, name) : nil
    }
}
