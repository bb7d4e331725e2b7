import CExpat

/// Expat, which finds the elements of a document. Entities are refused before one is replaced.
enum SVGScanner {
    /// What the callbacks share.
    private final class State {
        let filter: SVGFilter
        let parser: XML_Parser
        var fault: SVGFault?

        init(_ filter: SVGFilter, _ parser: XML_Parser) {
            self.filter = filter
            self.parser = parser
        }

        /// Does something unless something has failed before; a failure ends the parsing.
        func attempt(_ body: () throws(SVGFault) -> Void) {
            guard fault == nil else { return }
            do throws(SVGFault) {
                try body()
            } catch {
                fault = SVGFault(error.reason, line: Int(XML_GetCurrentLineNumber(parser)))
                XML_StopParser(parser, 0)
            }
        }

        static func of(_ user: UnsafeMutableRawPointer?) -> State {
            Unmanaged<State>.fromOpaque(user!).takeUnretainedValue()
        }
    }

    /// Stands between the namespace and the name; no namespace that is of interest has it.
    private static let separator = UInt8(ascii: " ")

    /// Passes the elements of a document to a filter.
    ///
    /// - Throws: for what is not well-formed, declares entities or names style sheets; faults of the filter.
    static func scan(_ file: [UInt8], with filter: SVGFilter) throws(SVGFault) {
        guard let parser = XML_ParserCreateNS(nil, XML_Char(bitPattern: separator)) else {
            throw SVGFault("expat cannot be set up")
        }
        defer { XML_ParserFree(parser) }
        let state = State(filter, parser)
        XML_SetUserData(parser, Unmanaged.passUnretained(state).toOpaque())
        XML_SetElementHandler(
            parser,
            { user, name, attributes in
                let state = State.of(user)
                state.attempt { () throws(SVGFault) in
                    var pairs: [(SVGFilter.Name, String)] = []
                    var next = attributes
                    while let pair = next, let key = pair[0], let value = pair[1] {
                        pairs.append((SVGScanner.name(key), String(cString: value)))
                        next = pair + 2
                    }
                    try state.filter.begin(SVGScanner.name(name!), pairs)
                }
            },
            { user, name in
                let state = State.of(user)
                state.attempt { () throws(SVGFault) in try state.filter.end(SVGScanner.name(name!)) }
            })
        XML_SetCharacterDataHandler(parser) { user, text, count in
            let state = State.of(user)
            guard state.fault == nil, let text else { return }
            let bytes = UnsafeRawBufferPointer(start: text, count: Int(count))
            state.filter.characters(String(decoding: bytes, as: UTF8.self))
        }
        XML_SetProcessingInstructionHandler(parser) { user, target, _ in
            State.of(user).attempt { () throws(SVGFault) in
                guard String(cString: target!) != "xml-stylesheet" else {
                    throw SVGFault("it refers to a style sheet of its own")
                }
            }
        }
        XML_SetEntityDeclHandler(parser) { user, _, _, _, _, _, _, _, _ in
            State.of(user).attempt { () throws(SVGFault) in throw SVGFault("it declares entities") }
        }
        let status = file.withUnsafeBytes {
            XML_Parse(parser, $0.baseAddress?.assumingMemoryBound(to: CChar.self), Int32($0.count), 1)
        }
        if let fault = state.fault { throw fault }
        guard status == XML_STATUS_OK else {
            let reason = XML_ErrorString(XML_GetErrorCode(parser)).map { String(cString: $0) } ?? "no XML"
            throw SVGFault("it is not well-formed: \(reason)", line: Int(XML_GetCurrentLineNumber(parser)))
        }
        withExtendedLifetime(state) {}
    }

    private static func name(_ text: UnsafePointer<XML_Char>) -> SVGFilter.Name {
        let whole = String(cString: text)
        guard let end = whole.utf8.lastIndex(of: separator) else { return ("", whole) }
        return (String(whole[..<end]), String(whole[whole.utf8.index(after: end)...]))
    }
}
