import Foundation
import InkDocuments
public import InkEngine

/// The scenes that are measured.
public enum Scenes {
    /// The canvas of all scenes, pixels.
    public static let canvas = PixelSize(width: 2048, height: 2048)

    /// `S`, `M` or `L`.
    public static func read(_ name: String) throws -> Project {
        try ProjectLoader.load(path: path(name)).project
    }

    /// The file of a scene.
    public static func path(_ name: String) -> String {
        URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("scenes/scene-\(name).ink").path
    }

    /// A brush by itself, on every n-th stroke of a scene.
    public struct BrushSet: Sendable {
        /// `parallelLines`, or `parallelLines-sized` where pressure changes the size.
        public var name: String
        public var strokes: [Stroke]
    }

    /// Each type of brush, of one size and with changing sizes, on the same strokes. Solid lines are six pixels wide.
    /// Those whose pattern can lie still on the canvas come once more so: `dots-canvas`.
    public static func brushSets(of scene: Project, every interval: Int) -> [BrushSet] {
        let all = scene.layers.flatMap(\.strokes)
        let strokes = stride(from: 0, to: all.count, by: interval).map { all[$0] }
        let stamped = BrushType.allCases.map { (type: $0, anchor: BrushAnchor.stamp) }
        let still = BrushType.allCases.filter(\.canLieStill).map { (type: $0, anchor: BrushAnchor.canvas) }
        return (stamped + still).flatMap { type, anchor in
            [false, true].map { isSized in
                BrushSet(
                    name: type.rawValue + (anchor == .canvas ? "-canvas" : "") + (isSized ? "-sized" : ""),
                    strokes: strokes.map { stroke in
                        var stroke = stroke
                        stroke.brush.type = type
                        stroke.brush.anchor = anchor
                        stroke.brush.dynamics.pressureAffectsSize = isSized
                        if type == .solid { stroke.brush.lineWidth = 6 }
                        return stroke
                    })
            }
        }
    }

    /// Contour lines on such strokes, of one alpha (`even`) or as hard as the pen is pressed (`pressed`); stations as far apart
    /// as the scene has them, or a quarter of that (`dense`), where lines two pixels wide lie over each other.
    public static func contourSets(of scene: Project, every interval: Int) -> [BrushSet] {
        let sets = brushSets(of: scene, every: interval).filter { $0.name == BrushType.contourLines.rawValue }
        return sets.flatMap { set in
            [("even", false, 1.0), ("pressed", true, 1), ("dense-even", false, 0.25), ("dense-pressed", true, 0.25)].map
            {
                name, isPressed, share in
                BrushSet(
                    name: name,
                    strokes: set.strokes.map { stroke in
                        var stroke = stroke
                        stroke.brush.dynamics.pressureAffectsOpacity = isPressed
                        stroke.brush.spacing *= share
                        stroke.brush.lineWidth = 2
                        return stroke
                    })
            }
        }
    }

    /// Parallel lines that lie still on the canvas, uncovered by such strokes: 6, 20 and 80 pixels wide (`narrow`, `usual`,
    /// `wide`), and lines that are closer than two pixels (`close`), 20 pixels wide.
    public static func canvasSets(of scene: Project, every interval: Int) -> [BrushSet] {
        let sets = brushSets(of: scene, every: interval).filter { $0.name == "parallelLines-canvas" }
        return sets.flatMap { set in
            [("narrow", 6.0, 6.0), ("usual", 20, 6), ("wide", 80, 6), ("close", 20, 1.5)].map { name, size, spacing in
                BrushSet(
                    name: name,
                    strokes: set.strokes.map { stroke in
                        var stroke = stroke
                        stroke.brush.size = size / stroke.brush.scale
                        stroke.brush.spacing = spacing / stroke.brush.scale
                        stroke.brush.lineWidth = min(stroke.brush.lineWidth, stroke.brush.spacing / 2)
                        return stroke
                    })
            }
        }
    }

    /// A transparent canvas with one layer of strokes.
    public static func project(of strokes: [Stroke]) -> Project {
        Project(canvasSize: canvas, background: .transparent, layers: [Layer(strokes: strokes)])
    }
}
