package import InkEngine
package import InkJSON

extension JSONValue {
    /// Warnings for programs, one text each.
    package static func lines(_ warnings: [ReadingWarning]) -> JSONValue {
        .array(warnings.map { .string($0.description) })
    }
}
