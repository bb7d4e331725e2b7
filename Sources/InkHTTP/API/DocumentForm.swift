import InkExports
import InkJSON
import InkService

/// Documents, options and what is to lie over the documents as the parts of a form.
final class DocumentForm: FormTaker {
    private nonisolated(unsafe) var order: SubmissionOrder
    private nonisolated(unsafe) var upload: Spool.Upload?
    private nonisolated(unsafe) var files: [(part: FilePart, file: SpooledFile)] = []
    /// The name of the part that is being received, if that is no file.
    private nonisolated(unsafe) var field: String?
    private nonisolated(unsafe) var fields: [String: [UInt8]] = [:]
    private let room: UploadRoom

    private enum FilePart: String, CaseIterable {
        case document
        case watermark
        case overlay
        case overlayPicture = "overlay-picture"

        var isSingle: Bool { self == .watermark || self == .overlay }
    }

    private static let filesMax = 1000
    private static let fieldBytesMax = 1 << 20
    private static let fieldNames = ["options", "priority"]

    static let partNames = FilePart.allCases.map(\.rawValue) + fieldNames

    init(_ order: SubmissionOrder, _ room: UploadRoom) {
        self.order = order
        self.room = room
    }

    func begin(_ part: FormPart) throws(Problem) {
        if let kind = FilePart(rawValue: part.name) {
            field = nil
            guard files.count < Self.filesMax else {
                throw .malformed("there are more than \(Self.filesMax) files; send the others with another request")
            }
            guard !kind.isSingle || !files.contains(where: { $0.part == kind }) else {
                throw .malformed("the part \(kind.rawValue) comes twice; send one")
            }
            let name = part.fileName.flatMap { $0.isEmpty ? nil : $0 } ?? part.name
            files.append((kind, try folder().file(named: name)))
        } else if Self.fieldNames.contains(part.name) {
            guard fields.updateValue([], forKey: part.name) == nil else {
                throw .malformed("the part \(part.name) comes twice; send one")
            }
            field = part.name
        } else {
            throw .malformed(
                "there is no part \"\(part.name.prefix(64))\" here; there are "
                    + Self.partNames.joined(separator: ", "))
        }
    }

    func take(_ bytes: UnsafeRawBufferPointer) throws(Problem) {
        if let field {
            guard fields[field, default: []].count + bytes.count <= Self.fieldBytesMax else {
                throw .tooLarge("the part \(field)", Self.fieldBytesMax)
            }
            fields[field, default: []].append(contentsOf: bytes)
        } else if let (_, file) = files.last {
            try append(bytes, to: file)
        }
    }

    private func folder() throws(Problem) -> Spool.Upload {
        if let upload { return upload }
        let made = try Spool.Upload(order.gateway.service.folder)
        upload = made
        return made
    }

    private func append(_ bytes: UnsafeRawBufferPointer, to file: SpooledFile) throws(Problem) {
        try room.take(bytes.count)
        try file.append(bytes)
    }

    func end() throws(Problem) -> HTTPResponse {
        if let text = fields["options"] {
            order.options = try RequestedOptions(try Self.json(text, "options"), others: order.gateway.otherOptions)
        }
        if let text = fields["priority"] { order.priority = try Router.priority(try Self.json(text, "priority")) }
        let documents = sent(.document)
        guard !documents.isEmpty else {
            throw .malformed("the part document is missing: the file to export, as in curl -F document=@owl.ink")
        }
        order.marks = try marks()
        return try order.carryOut(documents)
    }

    private func sent(_ kind: FilePart) -> [SubmittedDocument] {
        files.filter { $0.part == kind }
            .map { SubmittedDocument(name: $0.file.name, path: $0.file.path, isShared: false) }
    }

    private func marks() throws(Problem) -> SubmittedMarks {
        var marks = SubmittedMarks()
        marks.watermark = sent(.watermark).first
        if marks.watermark != nil, order.options.choices.isGiven("watermark") {
            throw .malformed("watermark is a part and an option; send one of them")
        }
        marks.pictures = sent(.overlayPicture)
        guard let overlay = sent(.overlay).first else {
            guard marks.pictures.isEmpty else {
                throw .malformed("there is a part overlay-picture, but no part overlay that names it; send that too")
            }
            return marks
        }
        let text = Array(try SubmittedMarks.located(overlay, marks.pictures).line.utf8)
        let file = try folder().file(named: overlay.name)
        try text.withUnsafeBufferPointer { (bytes) throws(Problem) in
            try append(UnsafeRawBufferPointer(bytes), to: file)
        }
        marks.overlay = SubmittedDocument(name: overlay.name, path: file.path, isShared: false)
        return marks
    }

    private static func json(_ text: [UInt8], _ name: String) throws(Problem) -> JSONValue {
        do throws(JSONReader.Failure) { return try JSONReader.read(text) } catch {
            throw .malformed("\(name) is not JSON: \(error.reason) at byte \(error.offset)")
        }
    }

    func close() { room.close() }
}
