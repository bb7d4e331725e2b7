package import InkEngine
import Synchronization

/// Measures of a project's strokes, computed once for all its pictures.
public final class ProjectMeasures: Sendable {
    private let measures = Mutex<[[StrokeMeasure]]?>(nil)

    public init() {}

    /// Measures by layer and stroke.
    ///
    /// - Parameter project: the same at each call.
    package func of(_ project: Project) -> [[StrokeMeasure]] {
        measures.withLock { measures in
            if let measures { return measures }
            let made = StrokeMeasure.all(of: project)
            measures = made
            return made
        }
    }
}
