import InkEngine

/// The presets of this program: each type of brush with settings that suit a canvas of about 2,000 pixels.
///
/// Projects do not find them, because the presets of a project are files that go with it. `ink preset show` prints such a
/// file.
public enum BuiltInPresets {
    /// In the order of a list.
    public static let entries: [PresetEntry] = texts.map { id, text in
        var bytes = Array(text.utf8)
        bytes.reserveCapacity(bytes.count + InputFile.spareBytes)
        do throws(EngineError) {
            return PresetEntry(id: id, file: nil, try PresetLibrary.read(bytes, file: id, limits: Limits()).1)
        } catch {
            return PresetEntry(id: id, file: nil, .failure(error))
        }
    }

    static let texts: [(id: String, text: String)] = [
        (
            "fineliner",
            """
            { "id": "fineliner", "name": "Fineliner", "type": "solid",
              "defaults": { "lineWidth": 6, "color": "#1f2430" },
              "dynamics": { "pressureAffectsOpacity": false } }

            """
        ),
        (
            "brush-pen",
            """
            { "id": "brush-pen", "name": "Brush pen", "type": "solid",
              "defaults": { "lineWidth": 38, "color": "#23283a" },
              "dynamics": { "pressureAffectsOpacity": false, "pressureAffectsSize": true, "minimumSize": 0 } }

            """
        ),
        (
            "highlighter",
            """
            { "id": "highlighter", "name": "Highlighter", "type": "solid",
              "defaults": { "lineWidth": 56, "opacity": 0.4, "color": "#f2b705" },
              "dynamics": { "pressureAffectsOpacity": false } }

            """
        ),
        (
            "hatching",
            """
            { "id": "hatching", "name": "Hatching", "type": "parallelLines",
              "defaults": { "anchor": "canvas", "size": 84, "rotation": -45,
                            "spacing": 11, "lineWidth": 3, "color": "#2f5f8f" },
              "dynamics": { "pressureAffectsOpacity": false, "pressureAffectsSize": true } }

            """
        ),
        (
            "pencil",
            """
            { "id": "pencil", "name": "Pencil shading", "type": "parallelLines",
              "defaults": { "rotation": -60, "spacing": 5, "scale": 1.6,
                            "lineWidth": 0.8, "opacity": 0.3, "color": "#3a3a44" } }

            """
        ),
        (
            "cross-hatching",
            """
            { "id": "cross-hatching", "name": "Cross-hatching", "type": "crossHatch",
              "defaults": { "anchor": "canvas", "size": 88, "rotation": 30,
                            "spacing": 13, "lineWidth": 2.4, "color": "#8a3f5c" },
              "dynamics": { "pressureAffectsOpacity": false, "pressureAffectsSize": true } }

            """
        ),
        (
            "stippling",
            """
            { "id": "stippling", "name": "Stippling", "type": "dots",
              "defaults": { "anchor": "canvas", "size": 48, "scale": 1.8,
                            "rotation": 30, "spacing": 6, "color": "#c8722b" },
              "dynamics": { "pressureAffectsOpacity": false, "pressureAffectsSize": true } }

            """
        ),
        (
            "spray",
            """
            { "id": "spray", "name": "Spray", "type": "dots",
              "defaults": { "rotation": 18, "spacing": 9, "scale": 0.8,
                            "opacity": 0.35, "color": "#b0472f" },
              "dynamics": { "pressureAffectsSize": true } }

            """
        ),
        (
            "ripples",
            """
            { "id": "ripples", "name": "Ripples", "type": "waves",
              "defaults": { "anchor": "canvas", "size": 44, "scale": 2,
                            "spacing": 7, "lineWidth": 1.3, "color": "#2c7d74" },
              "dynamics": { "pressureAffectsOpacity": false, "pressureAffectsSize": true } }

            """
        ),
        (
            "contour",
            """
            { "id": "contour", "name": "Contour lines", "type": "contourLines",
              "defaults": { "spacing": 9, "lineWidth": 2.6, "color": "#4f6b35" },
              "dynamics": { "pressureAffectsOpacity": false, "pressureAffectsSize": true } }

            """
        ),
        (
            "engraving",
            """
            { "id": "engraving", "name": "Engraving", "type": "contourLines",
              "defaults": { "spacing": 5, "lineWidth": 1.7, "scale": 1.4, "color": "#3d3a63" },
              "dynamics": { "pressureAffectsOpacity": false, "pressureAffectsSize": true } }

            """
        ),
    ]
}
