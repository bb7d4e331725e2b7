// swift-tools-version: 6.2
import PackageDescription

// Fuzz targets; a package of its own because all of it, the engine included, is built with -sanitize=fuzzer.
// Scripts/fuzz.sh builds and runs it.
let package = Package(
    name: "ink-fuzz",
    products: [
        .executable(name: "FuzzProjectReader", targets: ["FuzzProjectReader"]),
        .executable(name: "FuzzDocuments", targets: ["FuzzDocuments"]),
        .executable(name: "FuzzImages", targets: ["FuzzImages"]),
        .executable(name: "FuzzProtocol", targets: ["FuzzProtocol"]),
        .executable(name: "FuzzDrafts", targets: ["FuzzDrafts"]),
    ],
    dependencies: [.package(name: "ink-export-farm", path: "..")],
    targets: [
        .target(name: "CFuzzer"),
        .target(name: "FuzzSupport", dependencies: ["CFuzzer"]),
        .executableTarget(
            name: "FuzzProjectReader",
            dependencies: [
                "FuzzSupport",
                .product(name: "InkDocuments", package: "ink-export-farm"),
                .product(name: "InkEngine", package: "ink-export-farm"),
            ],
            swiftSettings: [.unsafeFlags(["-parse-as-library"])]),
        .executableTarget(
            name: "FuzzDocuments",
            dependencies: [
                "FuzzSupport",
                .product(name: "InkCodecs", package: "ink-export-farm"),
                .product(name: "InkDocuments", package: "ink-export-farm"),
                .product(name: "InkEngine", package: "ink-export-farm"),
            ],
            swiftSettings: [.unsafeFlags(["-parse-as-library"])]),
        .executableTarget(
            name: "FuzzImages",
            dependencies: [
                "FuzzSupport",
                .product(name: "InkCodecs", package: "ink-export-farm"),
                .product(name: "InkEngine", package: "ink-export-farm"),
            ],
            swiftSettings: [.unsafeFlags(["-parse-as-library"])]),
        .executableTarget(
            name: "FuzzProtocol",
            dependencies: [
                "FuzzSupport",
                .product(name: "InkCodecs", package: "ink-export-farm"),
                .product(name: "InkEngine", package: "ink-export-farm"),
                .product(name: "InkProtocol", package: "ink-export-farm"),
            ],
            swiftSettings: [.unsafeFlags(["-parse-as-library"])]),
        .executableTarget(
            name: "FuzzDrafts",
            dependencies: [
                "FuzzSupport",
                .product(name: "InkCodecs", package: "ink-export-farm"),
                .product(name: "InkEngine", package: "ink-export-farm"),
                .product(name: "InkPlanning", package: "ink-export-farm"),
                .product(name: "InkProtocol", package: "ink-export-farm"),
            ],
            swiftSettings: [.unsafeFlags(["-parse-as-library"])]),
    ]
)
