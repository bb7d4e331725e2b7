import InkCodecs
import InkEngine
import InkProtocol

@testable import InkBench
@testable import InkExports

extension BenchMachine {
    static let sample = BenchMachine(
        processor: "Example 9000", cores: 8, kernels: "v3", memoryBytes: 32 << 30, system: "Example Linux 1",
        release: "6.1.0")
}

extension BenchResult {
    /// A picture of a 2K canvas a run, with these times of the command.
    static func sample(
        _ scene: String = "heavy", size: String = "2k", edge: Int = 2048, content: String = "built-in 1",
        times: [Double]
    ) -> BenchResult {
        var phases = PhaseTimes()
        for (index, phase) in PhaseTimes.all.enumerated() {
            phases[keyPath: phase.path] = UInt64(index + 1) * 1_250_000
        }
        return BenchResult(
            subject: BenchCase(
                scene: scene, content: content, size: size, pixels: PixelSize(width: edge, height: edge / 2),
                pixelsInAll: edge * edge / 2, pictureCount: 1),
            samples: times.map { time in
                BenchSample(
                    milliseconds: time, pictures: [BenchSample.Picture(milliseconds: time - 2, edge: edge)],
                    phases: phases)
            }, peakBytes: 96 << 20)
    }
}

extension BenchReport {
    static func sample(
        _ results: [BenchResult], machine: BenchMachine = .sample, workers: Int = 8, othersShare: Double? = 0
    ) -> BenchReport {
        BenchReport(
            program: "0.1.0", rendererVersion: "1", date: "2026-11-21T10:06:00.000Z", machine: machine,
            workers: workers, othersShare: othersShare, results: results)
    }
}
