import CKernels
import Glibc

/// The time of putting layers onto each other: for every mode and for a stack of ten, as planes and as images, at every
/// level of processor. Milliseconds of processor time for one layer of 2048 x 2048 with a mask and an opacity, onto an
/// opaque backdrop, the best of some rounds. Cells are those of `TileRenderer`.
struct CompositingBenchmark {
    private static let edge = 2048
    private static let cellWidth = 512
    private static let cellHeight = 128
    private static let layerCount = 10
    private static let opacity: Float = 0.7

    private let modes: [(name: String, mode: ink_blend_mode)] = [
        ("normal", INK_BLEND_NORMAL), ("multiply", INK_BLEND_MULTIPLY), ("screen", INK_BLEND_SCREEN),
        ("overlay", INK_BLEND_OVERLAY), ("darken", INK_BLEND_DARKEN), ("lighten", INK_BLEND_LIGHTEN),
        ("colorDodge", INK_BLEND_COLOR_DODGE), ("colorBurn", INK_BLEND_COLOR_BURN), ("hardLight", INK_BLEND_HARD_LIGHT),
        ("softLight", INK_BLEND_SOFT_LIGHT), ("difference", INK_BLEND_DIFFERENCE), ("exclusion", INK_BLEND_EXCLUSION),
        ("hue", INK_BLEND_HUE), ("saturation", INK_BLEND_SATURATION), ("color", INK_BLEND_COLOR),
        ("luminosity", INK_BLEND_LUMINOSITY), ("plus", INK_BLEND_PLUS), ("linearDodge", INK_BLEND_LINEAR_DODGE),
        ("linearBurn", INK_BLEND_LINEAR_BURN), ("linearLight", INK_BLEND_LINEAR_LIGHT),
        ("vividLight", INK_BLEND_VIVID_LIGHT), ("pinLight", INK_BLEND_PIN_LIGHT), ("hardMix", INK_BLEND_HARD_MIX),
        ("subtract", INK_BLEND_SUBTRACT), ("divide", INK_BLEND_DIVIDE), ("darkerColor", INK_BLEND_DARKER_COLOR),
        ("lighterColor", INK_BLEND_LIGHTER_COLOR),
    ]

    private let stack = [
        INK_BLEND_NORMAL, INK_BLEND_MULTIPLY, INK_BLEND_NORMAL, INK_BLEND_SCREEN, INK_BLEND_NORMAL, INK_BLEND_OVERLAY,
        INK_BLEND_MULTIPLY, INK_BLEND_SOFT_LIGHT, INK_BLEND_NORMAL, INK_BLEND_MULTIPLY,
    ]

    private let levels: [(name: String, level: ink_level)] = [
        ("scalar", INK_LEVEL_SCALAR), ("v3", INK_LEVEL_V3), ("v4", INK_LEVEL_V4),
    ].filter { $0.1.rawValue <= ink_level_best().rawValue }

    /// Aligned memory for the whole run.
    private static func memory<Element>(_ count: Int, of type: Element.Type) -> UnsafeMutablePointer<Element> {
        UnsafeMutableRawPointer.allocate(byteCount: count * MemoryLayout<Element>.stride, alignment: 64)
            .bindMemory(to: type, capacity: count)
    }

    /// Four planes of a cell, apart so that they do not share places in the caches.
    private static func planes() -> ink_planes {
        let distance = Self.cellWidth * Self.cellHeight + 272
        let values = memory(4 * distance, of: Float.self)
        values.initialize(repeating: 1, count: 4 * distance)
        return ink_planes(
            red: values, green: values + distance, blue: values + 2 * distance, alpha: values + 3 * distance,
            stride: Self.cellWidth)
    }

    private let backdrop = planes()
    private let layer = planes()
    private let images = memory(Self.layerCount * Self.edge * Self.edge * 4, of: UInt8.self)
    private let masks = memory(Self.layerCount * Self.edge * Self.edge, of: UInt8.self)
    private let rounds: Int

    /// - Parameter rounds: at least one.
    init(rounds: Int) {
        self.rounds = rounds
        var random: UInt32 = 1
        for i in 0..<(Self.layerCount * Self.edge * Self.edge) {
            random = random &* 1_664_525 &+ 1_013_904_223
            for channel in 0..<3 { images[4 * i + channel] = UInt8(truncatingIfNeeded: random >> UInt32(8 * channel)) }
            images[4 * i + 3] = UInt8(1 + (random >> 8) % 255)
            masks[i] = UInt8(1 + (random >> 16) % 255)
        }
        for i in 0..<(Self.cellWidth * Self.cellHeight) {
            let alpha = Float(i % 127) / 126
            layer.red[i] = alpha * Float(i * 7 % 255) / 255
            layer.green[i] = alpha * Float(i * 3 % 255) / 255
            layer.blue[i] = alpha * Float(i * 5 % 255) / 255
            layer.alpha[i] = alpha
        }
    }

    /// Measures everything and prints the table.
    func run() {
        let columns = levels.flatMap { level in ["planes \(level.name)", "images \(level.name)"] }
        print(padded("ms a layer", to: 14) + columns.map { padded($0, to: 14) }.joined())
        func line(_ name: String, _ modes: [ink_blend_mode], divisor: Double) {
            let times = levels.flatMap { level in
                let kernels = ink_blend_kernels(level.level).pointee
                return [false, true].map { asImages in
                    best(of: rounds) { compose(modes, asImages: asImages, kernels) } / divisor
                }
            }
            print(padded(name, to: 14) + times.map(shown).joined())
        }
        for (name, mode) in modes {
            line(name, [ink_blend_mode](repeating: mode, count: Self.layerCount), divisor: Double(Self.layerCount))
        }
        line("stack of ten", stack, divisor: 1)
    }

    private func processorMilliseconds() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1e3 + Double(time.tv_nsec) / 1e6
    }

    /// Puts the layers with these modes onto a white picture, cell by cell.
    private func compose(_ modes: [ink_blend_mode], asImages: Bool, _ kernels: ink_blend) {
        var target = backdrop
        for y in stride(from: 0, to: Self.edge, by: Self.cellHeight) {
            for x in stride(from: 0, to: Self.edge, by: Self.cellWidth) {
                for plane in [target.red!, target.green!, target.blue!] {
                    plane.update(repeating: 1, count: Self.cellWidth * Self.cellHeight)
                }
                for (index, mode) in modes.enumerated() {
                    let pixel = index * Self.edge * Self.edge + y * Self.edge + x
                    var source = ink_blend_layer()
                    source.pixels = asImages ? INK_PIXELS_RGBA8 : INK_PIXELS_PLANES
                    source.planes = layer
                    source.samples = UnsafePointer(images + 4 * pixel)
                    source.sample_stride = 4 * Self.edge
                    source.mask = INK_MASK_8
                    source.mask_values = UnsafeRawPointer(masks + pixel)
                    source.mask_stride = Self.edge
                    source.opacity = Self.opacity
                    kernels.blend(mode, &target, 1, &source, Self.cellWidth, Self.cellHeight)
                }
            }
        }
    }

    private func best(of rounds: Int, _ body: () -> Void) -> Double {
        (0..<rounds).map { _ in
            let start = processorMilliseconds()
            body()
            return processorMilliseconds() - start
        }.min() ?? 0
    }

    private func padded(_ text: String, to width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.utf8.count))
    }

    private func shown(_ milliseconds: Double) -> String {
        let hundredths = Int((milliseconds * 100).rounded())
        let rest = hundredths % 100
        return padded("\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest)", to: 14)
    }
}
