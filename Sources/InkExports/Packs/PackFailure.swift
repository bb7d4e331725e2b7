import InkDocuments
import InkEngine

/// Why a pack or a bundle is not made: a line for a person, and the exit code if nothing else fails.
typealias PackFailure = PictureFailure

extension PictureFailure {
    init(_ error: TargetError) {
        switch error {
        case .recipe: self.init(kind: .configuration, reason: error.description)
        case .input(let error): self.init(error)
        }
    }

    static func wrapping<R>(_ body: () throws(TargetError) -> R) throws(PictureFailure) -> R {
        do throws(TargetError) { return try body() } catch { throw PictureFailure(error) }
    }

    static func wrapping<R>(_ body: () throws(EngineError) -> R) throws(PictureFailure) -> R {
        do throws(EngineError) { return try body() } catch { throw PictureFailure(error) }
    }
}
