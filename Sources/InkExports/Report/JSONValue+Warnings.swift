package import InkEngine
package import InkJSON

extension JSONValue {
    /// Warnings as a program reads them: a text each.
    package static func lines(_ warnings: [ReadingWarning]) -> JSONValue {
        .array(warnings.map { .string($0.description) })
    }
}
