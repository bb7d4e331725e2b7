import CExpat
import InkEngine

/// A name of XML: the namespace, or empty, and what follows the prefix.
typealias XMLName = (namespace: String, local: String)

/// Takes the elements of a document in order.
protocol XMLHandler: AnyObject {
    func begin(_ name: XMLName, _ attributes: [(name: XMLName, value: String)]) throws(XMLFault)
    func end(_ name: XMLName) throws(XMLFault)
    /// Text may come in several pieces.
    func characters(_ text: String)
    /// A prefix of a namespace, before the element that declares it.
    func declares(_ prefix: String, _ namespace: String)
}

extension XMLHandler {
    func declares(_ prefix: String, _ namespace: String) {}
}

/// Why a document is refused.
struct XMLFault: Error {
    /// From 1; nil for the document as a whole.
    var line: Int?
    var reason: String

    init(_ reason: String, line: Int? = nil) {
        self.line = line
        self.reason = reason
    }

    /// `the SVG, line 3: ...`
    ///
    /// - Parameter what: the document, such as `the SVG`.
    func error(_ what: String, at place: Place) -> EngineError {
        .badInput(place, reason: what + (line.map { ", line \($0)" } ?? "") + ": " + reason)
    }
}

/// Expat, which finds the elements of a document. Entities are refused before one is replaced.
enum XMLScanner {
    /// What the callbacks share.
    private final class State {
        let handler: any XMLHandler
        let parser: XML_Parser
        var fault: XMLFault?

        init(_ handler: any XMLHandler, _ parser: XML_Parser) {
            self.handler = handler
            self.parser = parser
        }

        /// Does something unless something has failed before; a failure ends the parsing.
        func attempt(_ body: () throws(XMLFault) -> Void) {
            guard fault == nil else { return }
            do throws(XMLFault) {
                try body()
            } catch {
                fault = XMLFault(error.reason, line: Int(XML_GetCurrentLineNumber(parser)))
                XML_StopParser(parser, 0)
            }
        }

        static func of(_ user: UnsafeMutableRawPointer?) -> State {
            Unmanaged<State>.fromOpaque(user!).takeUnretainedValue()
        }
    }

    /// Stands between the namespace and the name; no namespace that is of interest has it.
    private static let separator = UInt8(ascii: " ")

    /// Passes the elements of a document to a handler.
    ///
    /// - Throws: for what is not well-formed, declares entities or names style sheets; faults of the handler.
    static func scan(_ file: [UInt8], with handler: any XMLHandler) throws(XMLFault) {
        let isWide = TextEncoding(of: file) != nil
        let file = isWide ? TextEncoding.utf8(file) : file
        // Programs that write UTF-8 to a file often claim the encoding that the text had in memory.
        let encoding = isWide || claimsUTF16(file) ? "UTF-8" : nil
        guard let parser = XML_ParserCreateNS(encoding, XML_Char(bitPattern: separator)) else {
            throw XMLFault("expat cannot be set up")
        }
        defer { XML_ParserFree(parser) }
        let state = State(handler, parser)
        XML_SetUserData(parser, Unmanaged.passUnretained(state).toOpaque())
        XML_SetElementHandler(
            parser,
            { user, name, attributes in
                let state = State.of(user)
                state.attempt { () throws(XMLFault) in
                    var pairs: [(XMLName, String)] = []
                    var next = attributes
                    while let pair = next, let key = pair[0], let value = pair[1] {
                        pairs.append((XMLScanner.name(key), String(cString: value)))
                        next = pair + 2
                    }
                    try state.handler.begin(XMLScanner.name(name!), pairs)
                }
            },
            { user, name in
                let state = State.of(user)
                state.attempt { () throws(XMLFault) in try state.handler.end(XMLScanner.name(name!)) }
            })
        XML_SetCharacterDataHandler(parser) { user, text, count in
            let state = State.of(user)
            guard state.fault == nil, let text else { return }
            let bytes = UnsafeRawBufferPointer(start: text, count: Int(count))
            state.handler.characters(String(decoding: bytes, as: UTF8.self))
        }
        XML_SetProcessingInstructionHandler(parser) { user, target, _ in
            State.of(user).attempt { () throws(XMLFault) in
                guard String(cString: target!) != "xml-stylesheet" else {
                    throw XMLFault("it refers to a style sheet of its own")
                }
            }
        }
        XML_SetStartNamespaceDeclHandler(parser) { user, prefix, namespace in
            guard let prefix, let namespace else { return }
            State.of(user).handler.declares(String(cString: prefix), String(cString: namespace))
        }
        XML_SetEntityDeclHandler(parser) { user, _, _, _, _, _, _, _, _ in
            State.of(user).attempt { () throws(XMLFault) in throw XMLFault("it declares entities") }
        }
        let status = file.withUnsafeBytes {
            XML_Parse(parser, $0.baseAddress?.assumingMemoryBound(to: CChar.self), Int32($0.count), 1)
        }
        if let fault = state.fault { throw fault }
        guard status == XML_STATUS_OK else {
            let reason = XML_ErrorString(XML_GetErrorCode(parser)).map { String(cString: $0) } ?? "no XML"
            throw XMLFault("it is not well-formed: \(reason)", line: Int(XML_GetCurrentLineNumber(parser)))
        }
        withExtendedLifetime(state) {}
    }

    /// Whether the declaration of a text in bytes says that it is in UTF-16.
    private static func claimsUTF16(_ file: [UInt8]) -> Bool {
        let start = file.prefix(200)
        guard let end = start.firstIndex(of: UInt8(ascii: ">")) else { return false }
        let declaration = String(decoding: start[..<end], as: UTF8.self).lowercased()
        return declaration.contains("<?xml") && ["\"utf-16", "'utf-16"].contains(where: declaration.contains)
    }

    private static func name(_ text: UnsafePointer<XML_Char>) -> XMLName {
        let whole = String(cString: text)
        guard let end = whole.utf8.lastIndex(of: separator) else { return ("", whole) }
        return (String(whole[..<end]), String(whole[whole.utf8.index(after: end)...]))
    }
}
