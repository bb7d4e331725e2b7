import InkEngine
import InkExports
import InkProtocol

/// One export command of a benchmark, from its start to the last closed file.
struct BenchSample: Hashable, Sendable {
    /// A picture of it, as a report has it: reading, and from the first task to the closed file.
    struct Picture: Hashable, Sendable {
        var milliseconds: Double
        /// The picture's longest edge, pixels: device tiers go by it.
        var edge: Int
    }

    /// From the start of the command to the last closed file.
    var milliseconds: Double
    var pictures: [Picture]
    /// The time of all pictures' phases; work of several threads adds up.
    var phases: PhaseTimes
}

/// What a benchmark measures repeatedly: projects at a size.
package struct BenchCase: Hashable, Sendable {
    /// As the output calls it.
    package var scene: String
    /// What the projects hold: equal where times can be compared.
    var content: String
    /// As requested.
    package var size: String
    /// Output pixels of the first picture, and of all together.
    var pixels: PixelSize
    var pixelsInAll: Int
    var pictureCount: Int
}

/// The times of a case.
package struct BenchResult: Hashable, Sendable {
    var subject: BenchCase
    /// In the order of the runs; the one that warms up is left out.
    var samples: [BenchSample]
    /// Peak memory of the export as a separate process; nil if the system does not report it.
    var peakBytes: Int?

    /// How long a picture took, milliseconds, with its longest edge: where a command makes one, from the command's start;
    /// where it makes many, each picture's own time.
    var exports: [BenchSample.Picture] {
        samples.flatMap { sample in
            guard sample.pictures.count == 1, let picture = sample.pictures.first else { return sample.pictures }
            return [BenchSample.Picture(milliseconds: sample.milliseconds, edge: picture.edge)]
        }
    }

    /// The longest edges of its pictures, pixels, ascending.
    var edges: [Int] { Set(samples.flatMap(\.pictures).map(\.edge)).sorted() }

    /// The tiers' times for its pictures, seconds; nil when these differ.
    var limits: [Double]? {
        let all = Set(edges.map { DeviceTiers.limits(edge: $0) })
        return all.count == 1 ? all.first : nil
    }

    /// The commands' times, milliseconds.
    var times: [Double] { samples.map(\.milliseconds) }

    var median: Double { BenchStatistics.median(exports.map(\.milliseconds)) ?? 0 }
    /// The 95th percentile by nearest rank: of fewer than 20 exports, the slowest.
    var percentile95: Double { ExportSummary.percentile(exports.map(\.milliseconds).sorted(), 95) ?? 0 }

    private var perSecond: Double {
        guard let time = BenchStatistics.median(times), time > 0 else { return 0 }
        return 1000 / time
    }

    var picturesPerSecond: Double { Double(subject.pictureCount) * perSecond }
    var megapixelsPerSecond: Double { Double(subject.pixelsInAll) / 1e6 * perSecond }

    /// Medians, phase by phase.
    var phases: PhaseTimes {
        var phases = PhaseTimes()
        for phase in PhaseTimes.all {
            let times = samples.map { Double($0.phases[keyPath: phase.path]) }
            phases[keyPath: phase.path] = UInt64((BenchStatistics.median(times) ?? 0).rounded())
        }
        return phases
    }

    /// Whether 95% of the exports keep each of `DeviceTiers`.
    var keepsTiers: [Bool] {
        let kept = exports.map {
            DeviceTiers.tier(
                milliseconds: $0.milliseconds, pixels: PixelSize(width: $0.edge, height: $0.edge))
                ?? DeviceTiers.seconds.count
        }.sorted()
        guard !kept.isEmpty else { return DeviceTiers.seconds.map { _ in false } }
        let worst = kept[max(0, (kept.count * 95 + 99) / 100 - 1)]
        return DeviceTiers.seconds.indices.map { worst <= $0 }
    }
}
