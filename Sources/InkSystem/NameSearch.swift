/// A part of a name to look for, as people type it: capitals do not matter in any alphabet, nor how letters with marks are
/// made of characters (canonical equivalence). A letter with a mark is another letter than the one without.
///
/// `dom.js` of the dashboard does the same.
package struct NameSearch: Sendable {
    private let part: String

    package init(_ part: String) { self.part = part.uppercased() }

    /// Whether the part occurs in a name.
    package func finds(_ name: String) -> Bool {
        // Upper case, because small letters may depend on their place in a word. Characters are compared, which equates what
        // is canonically equivalent.
        part.isEmpty || name.uppercased().contains(part)
    }
}
