// swift-tools-version: 6.2
import PackageDescription

// Benchmarks that need the inside of the farm; a package of its own so that users do not build them.
let package = Package(
    name: "ink-benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "ink-export-farm", path: "..")],
    targets: [
        // libpng's writer, to compare with.
        .target(name: "CPNGReference", linkerSettings: [.linkedLibrary("png16")]),
        .executableTarget(
            name: "PNGCoding",
            dependencies: [
                "CPNGReference",
                .product(name: "InkCodecs", package: "ink-export-farm"),
                .product(name: "InkEngine", package: "ink-export-farm"),
            ]),
        .executableTarget(
            name: "TaskRates",
            dependencies: [
                .product(name: "InkBroker", package: "ink-export-farm"),
                .product(name: "InkPlanning", package: "ink-export-farm"),
                .product(name: "InkCodecs", package: "ink-export-farm"),
                .product(name: "InkEngine", package: "ink-export-farm"),
                .product(name: "InkProtocol", package: "ink-export-farm"),
            ]),
        // Sees the state machine of a worker, which is internal: dependencies are compiled for testing.
        .executableTarget(
            name: "BrokerCrew",
            dependencies: [
                .product(name: "InkEngine", package: "ink-export-farm"),
                .product(name: "InkProtocol", package: "ink-export-farm"),
                .product(name: "InkReading", package: "ink-export-farm"),
                .product(name: "InkWorker", package: "ink-export-farm"),
            ]),
        .executableTarget(
            name: "FarmCost",
            dependencies: [
                .product(name: "InkBroker", package: "ink-export-farm"),
                .product(name: "InkPlanning", package: "ink-export-farm"),
                .product(name: "InkCodecs", package: "ink-export-farm"),
                .product(name: "InkDocuments", package: "ink-export-farm"),
                .product(name: "InkEngine", package: "ink-export-farm"),
                .product(name: "InkProtocol", package: "ink-export-farm"),
                .product(name: "InkWorker", package: "ink-export-farm"),
            ]),
        // What is drawn, composited and encoded by the engine and by its peers alike.
        .target(
            name: "BenchmarkScenes",
            dependencies: [
                .product(name: "InkCodecs", package: "ink-export-farm"),
                .product(name: "InkDocuments", package: "ink-export-farm"),
                .product(name: "InkEngine", package: "ink-export-farm"),
            ]),
        .executableTarget(
            name: "EngineRates",
            dependencies: [
                "BenchmarkScenes",
                .product(name: "InkCodecs", package: "ink-export-farm"),
                .product(name: "InkDocuments", package: "ink-export-farm"),
                .product(name: "InkEngine", package: "ink-export-farm"),
            ]),
        .executableTarget(
            name: "SceneMarks",
            dependencies: [
                "BenchmarkScenes",
                .product(name: "InkEngine", package: "ink-export-farm"),
                .product(name: "InkReference", package: "ink-export-farm"),
            ]),
        .executableTarget(
            name: "Compositing", dependencies: [.product(name: "CKernels", package: "ink-export-farm")]),
    ]
)
