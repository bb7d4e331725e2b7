package import InkJSON

/// Files in searched folders that are not exported, and why.
package struct SkippedFiles: Hashable, Sendable {
    /// Why a file is not exported.
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        /// A document of another program whose name says too little: a search takes it only where that is asked for.
        case document
        /// A picture that may belong to a project.
        case photo
        /// A picture that this program has made.
        case ownPicture = "own-picture"
        case other
    }

    /// A file that is not exported.
    package struct File: Hashable, Sendable {
        package var path: String
        package var kind: Kind
        /// For people.
        package var reason: String
    }

    /// The most files that are listed; further ones are only counted.
    package static let listedMax = 100_000

    package private(set) var listed: [File] = []
    private var counts: [Kind: Int] = [:]

    package init() {}

    package var count: Int { counts.values.reduce(0, +) }

    package var isEmpty: Bool { counts.isEmpty }

    package func count(_ kind: Kind) -> Int { counts[kind] ?? 0 }

    mutating func add(_ path: String, _ kind: Kind, reason: String? = nil) {
        counts[kind, default: 0] += 1
        guard listed.count < Self.listedMax else { return }
        listed.append(File(path: path, kind: kind, reason: reason ?? kind.reason))
    }

    /// A line for each kind: how many there are, and what can be done.
    package var summary: [String] { Kind.allCases.filter { count($0) > 0 }.map { $0.line(count($0)) } }

    package var json: JSONValue {
        .array(
            listed.map {
                [
                    "path": .string($0.path), "kind": .string($0.kind.rawValue), "reason": .string($0.reason),
                ]
            })
    }
}

extension SkippedFiles.Kind {
    fileprivate var reason: String {
        switch self {
        case .document: "a document of another program; name it, or give --documents"
        case .photo: "a picture that may belong to a project; name it, or give --photos"
        case .ownPicture: "a picture that ink has written; name it to export it"
        case .other: "neither a project nor a document that ink reads"
        }
    }

    fileprivate func line(_ count: Int) -> String {
        let isOne = count == 1
        let them = isOne ? "it" : "them"
        return switch self {
        case .document:
            "\(count) \(isOne ? "document" : "documents") of other programs \(isOne ? "was" : "were") skipped: name \(them), or "
                + "give --documents"
        case .photo:
            "\(count) \(isOne ? "picture was" : "pictures were") skipped, which may belong to the projects: name \(them), or give "
                + "--photos"
        case .ownPicture:
            "\(count) \(isOne ? "picture" : "pictures") that ink has written \(isOne ? "was" : "were") skipped"
        case .other:
            "\(count) other \(isOne ? "file was" : "files were") skipped: \(isOne ? "it is neither a project nor a document" : "they are neither projects nor documents") "
                + "that ink reads"
        }
    }
}
