// swift-tools-version: 6.2
import PackageDescription

// Dependencies point one way only:
//   ink -> InkCommands -> InkBench -> InkExports -> InkBroker, InkClient, InkWorker -> InkProtocol
//   InkBroker, InkWorker -> InkPlanning -> InkProtocol; InkReading -> InkPlanning, InkDocuments
//                      -> InkHTTP -> InkExports; InkService -> InkBroker, InkStore -> InkProtocol
//   InkProtocol -> InkCodecs -> InkEngine -> InkSystem -> C libraries
// Only what a person or a client asks reads documents: InkExports, InkService, InkBench and InkCommands.
//   InkExports, InkService -> InkDocuments -> InkCodecs
let package = Package(
    name: "ink-export-farm",
    products: [
        .executable(name: "ink", targets: ["ink"])
    ]
        // For the packages in Fuzz/ and Benchmarks/.
        + [
            "InkEngine", "InkCodecs", "InkDocuments", "InkProtocol", "InkPlanning", "InkReading", "InkBroker",
            "InkWorker",
            "InkReference",
            "CKernels",
        ].map { (name: String) in
            .library(name: name, targets: [name])
        },
    targets: [
        // C libraries of the distribution: a module map and a shim header each.
        .systemLibrary(name: "CZeroMQ", providers: [.apt(["libzmq3-dev"])]),
        .systemLibrary(name: "CZstd", providers: [.apt(["libzstd-dev"])]),
        .systemLibrary(name: "CISAL", providers: [.apt(["libisal-dev"])]),
        .systemLibrary(name: "CZlib", providers: [.apt(["zlib1g-dev"])]),
        .systemLibrary(name: "CZip", providers: [.apt(["libzip-dev"])]),
        .systemLibrary(name: "CSQLite", providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(name: "CMicroHTTP", providers: [.apt(["libmicrohttpd-dev"])]),
        .systemLibrary(name: "CExpat", providers: [.apt(["libexpat1-dev"])]),
        .target(name: "CSystem"),
        // Loads libzmq, SQLite, libmicrohttpd, HarfBuzz, libtiff, libwebp, giflib and Little CMS when they are first called.
        .target(name: "CLazy"),
        // C and C++ libraries that Swift cannot import as they are: a C face each.
        .target(name: "CCrypto", linkerSettings: [.linkedLibrary("crypto")]),
        .target(name: "CPNG", linkerSettings: [.linkedLibrary("png16")]),
        .target(name: "CJPEG", linkerSettings: [.linkedLibrary("jpeg")]),
        .target(name: "CWebP", dependencies: ["CLazy"]),
        .target(name: "CGIF", dependencies: ["CLazy"]),
        .target(name: "CTIFF", dependencies: ["CLazy"]),
        // Load libheif, libjxl, librsvg and libcurl when they are needed, and build without them.
        .target(name: "CHEIF"),
        .target(name: "CJXL"),
        .target(name: "CSVG"),
        .target(name: "CURL"),
        // The files of the dashboard.
        .target(name: "CPages"),
        // The recipes of packs' targets.
        .target(name: "CRecipes", exclude: ["recipes"]),
        // The outlines that scores are engraved with.
        .target(
            name: "CScoreGlyphs",
            exclude: [
                "README.md", "OFL.txt", "GUST-FONT-LICENSE.txt", "farm-score-glyphs.txt", "farm-score-letters.txt",
            ]),
        .target(name: "CColor", dependencies: ["CLazy"]),
        .target(name: "CText", dependencies: ["CLazy"], linkerSettings: [.linkedLibrary("fribidi")]),
        .target(name: "CJSON", linkerSettings: [.linkedLibrary("simdjson")]),
        .target(name: "CCommandLine"),
        // The renderer's inner loops, for each level of processor.
        .target(name: "CKernels"),
        .target(
            name: "CVersions", dependencies: ["CLazy"],
            linkerSettings: ["zstd", "png16", "isal", "z", "simdjson", "crypto", "zip"].map { .linkedLibrary($0) }),

        // The renderer and its values; knows no file format.
        .target(name: "InkEngine", dependencies: ["InkSystem", "CKernels", "CText", "CCrypto"]),
        // Formats of pictures: readers, encoders of pieces, assemblers of files.
        .target(
            name: "InkCodecs",
            dependencies: [
                "InkEngine", "InkSystem", "CKernels", "CPNG", "CJPEG", "CWebP", "CGIF", "CTIFF", "CHEIF", "CJXL",
                "CSVG", "CExpat", "CColor", "CISAL", "CZlib", "CZstd", "CSystem",
            ]),
        // Projects, templates, documents of other programs; what is laid over pictures.
        .target(
            name: "InkDocuments",
            dependencies: [
                "InkCodecs", "InkEngine", "InkSystem", "InkJSON", "CJSON", "CRecipes", "CScoreGlyphs", "CZip", "CZlib",
                "CSystem",
            ]),
        // Files, threads and clocks.
        .target(name: "InkSystem", dependencies: ["CSystem"]),
        .target(
            name: "InkProtocol",
            dependencies: ["InkCodecs", "InkEngine", "InkSystem", "CZeroMQ", "CZstd", "CISAL", "CLazy", "CSystem"]),
        // From a project to the tasks of its pictures; values only.
        .target(name: "InkPlanning", dependencies: ["InkProtocol", "InkCodecs", "InkEngine"]),
        // Documents as workers read them.
        .target(name: "InkReading", dependencies: ["InkPlanning", "InkProtocol", "InkDocuments", "InkEngine"]),
        .target(
            name: "InkWorker",
            dependencies: ["InkPlanning", "InkProtocol", "InkCodecs", "InkEngine", "InkSystem", "CSystem"]),
        .target(
            name: "InkBroker",
            dependencies: ["InkPlanning", "InkProtocol", "InkCodecs", "InkEngine", "InkSystem", "CSystem"]),
        // Small JSON documents: reports, answers.
        .target(name: "InkJSON"),
        .target(name: "InkStore", dependencies: ["InkProtocol", "InkEngine", "InkSystem", "CSQLite", "CLazy"]),
        .target(
            name: "InkService",
            dependencies: [
                "InkJSON", "InkBroker", "InkStore", "InkPlanning", "InkProtocol", "InkDocuments", "InkCodecs",
                "InkEngine",
                "InkSystem", "CSystem",
            ]),
        // The broker's HTTP front: API, dashboard, metrics.
        .target(
            name: "InkHTTP",
            dependencies: [
                "InkExports", "InkClient", "InkService", "InkStore", "InkBroker", "InkProtocol", "InkCodecs",
                "InkEngine",
                "InkSystem", "InkJSON", "CMicroHTTP", "CLazy", "CPages", "CURL", "CSystem",
            ],
            exclude: ["Pages"]),
        .target(name: "InkClient", dependencies: ["InkProtocol", "InkCodecs", "InkEngine", "InkSystem"]),
        // Plans, runs and reports exports, here or at a broker; knows of no command line and no terminal.
        .target(
            name: "InkExports",
            dependencies: [
                "InkClient", "InkBroker", "InkWorker", "InkPlanning", "InkProtocol", "InkDocuments",
                "InkCodecs",
                "InkEngine",
                "InkSystem", "InkJSON", "CSystem",
            ]),
        .target(
            name: "InkBench",
            dependencies: [
                "InkExports", "InkBroker", "InkPlanning", "InkProtocol", "InkDocuments", "InkCodecs", "InkEngine",
                "InkSystem",
                "InkJSON",
            ]),
        // Arguments and text.
        .target(
            name: "InkCommands",
            dependencies: [
                "InkBench", "InkExports", "InkHTTP", "InkService", "InkClient", "InkStore", "InkBroker", "InkWorker",
                "InkReading", "InkPlanning", "InkProtocol", "InkDocuments", "InkCodecs", "InkEngine", "InkSystem",
                "InkJSON",
                "CCommandLine",
                "CVersions", "CLazy", "CSystem",
            ]),
        // Runs on machines without Swift.
        .executableTarget(
            name: "ink", dependencies: ["InkCommands"], linkerSettings: [.unsafeFlags(["-static-stdlib"])]),

        // A slow renderer written from the specification alone; the judge of the fast one.
        .target(
            name: "InkReference", dependencies: ["InkEngine"], path: "Tests/InkReference"),
        // Seeded generators, comparison of pictures, temporary folders.
        .target(
            name: "InkTestSupport",
            dependencies: ["InkPlanning", "InkCodecs", "InkEngine", "InkReference", "CSystem", "CZlib"],
            path: "Tests/InkTestSupport"),
        // Rules of the house that a program can check; needs no module.
        .testTarget(name: "InkTidyTests", exclude: ["Allowances.txt"]),
        .testTarget(
            name: "InkReferenceTests", dependencies: ["InkReference", "InkDocuments", "InkEngine", "InkTestSupport"]),
        .testTarget(
            name: "InkEngineTests", dependencies: ["InkEngine", "CKernels", "InkReference", "InkTestSupport"]),
        // Some read what was written with a reader of documents.
        .testTarget(
            name: "InkCodecsTests",
            dependencies: [
                "InkCodecs", "InkDocuments", "InkEngine", "InkSystem", "CHEIF", "CJXL", "CZlib", "InkTestSupport",
            ]),
        .testTarget(
            name: "InkDocumentsTests",
            dependencies: [
                "InkDocuments", "InkCodecs", "InkEngine", "InkJSON", "CZlib", "InkReference", "InkTestSupport",
            ]),
        .testTarget(
            name: "InkProtocolTests",
            dependencies: ["InkProtocol", "InkCodecs", "InkEngine", "InkSystem", "InkTestSupport"]),
        .testTarget(name: "InkSystemTests", dependencies: ["InkSystem", "InkTestSupport", "CSystem"]),
        .testTarget(
            name: "InkPlanningTests",
            dependencies: [
                "InkPlanning", "InkProtocol", "InkCodecs", "InkEngine", "InkReference", "InkTestSupport",
            ]),
        .testTarget(
            name: "InkReadingTests",
            dependencies: [
                "InkReading", "InkWorker", "InkPlanning", "InkProtocol", "InkDocuments", "InkCodecs", "InkEngine",
                "InkTestSupport",
            ]),
        .testTarget(
            name: "InkBrokerTests",
            dependencies: [
                "InkBroker", "InkPlanning", "InkProtocol", "InkCodecs", "InkEngine", "InkSystem", "InkReference",
                "InkTestSupport",
            ]),
        .testTarget(
            name: "InkWorkerTests",
            dependencies: ["InkWorker", "InkProtocol", "InkCodecs", "InkEngine", "InkTestSupport"]),
        .testTarget(name: "InkStoreTests", dependencies: ["InkStore", "InkProtocol", "InkEngine", "InkTestSupport"]),
        .testTarget(
            name: "InkClientTests",
            dependencies: ["InkClient", "InkProtocol", "InkEngine", "InkSystem", "InkTestSupport"]),
        .testTarget(
            name: "InkServiceTests",
            dependencies: [
                "InkService", "InkBroker", "InkWorker", "InkStore", "InkClient", "InkReading", "InkPlanning",
                "InkProtocol",
                "InkDocuments",
                "InkCodecs", "InkEngine", "InkJSON", "InkTestSupport", "CZeroMQ",
            ]),
        .testTarget(
            name: "InkHTTPTests",
            dependencies: [
                "InkHTTP", "InkExports", "InkService", "InkBroker", "InkWorker", "InkReading", "InkPlanning",
                "InkProtocol",
                "InkDocuments",
                "InkCodecs", "InkEngine", "InkJSON", "InkSystem", "InkTestSupport",
            ]),
        .testTarget(
            name: "InkSimulationTests",
            dependencies: [
                "InkService", "InkBroker", "InkWorker", "InkStore", "InkPlanning", "InkProtocol", "InkCodecs",
                "InkEngine",
                "InkTestSupport",
            ]),
        .testTarget(
            name: "InkExportsTests",
            dependencies: [
                "InkExports", "InkBroker", "InkClient", "InkPlanning", "InkProtocol", "InkDocuments", "InkCodecs",
                "InkEngine",
                "InkSystem", "InkJSON", "InkTestSupport", "CSystem",
            ]),
        .testTarget(
            name: "InkBenchTests",
            dependencies: [
                "InkBench", "InkExports", "InkBroker", "InkPlanning", "InkProtocol", "InkDocuments", "InkCodecs",
                "InkEngine",
                "InkJSON", "InkTestSupport",
            ]),
        .testTarget(
            name: "InkCommandsTests",
            dependencies: [
                "InkCommands", "InkBench", "InkExports", "InkHTTP", "InkService", "InkClient", "InkBroker", "InkWorker",
                "InkPlanning", "InkProtocol", "InkDocuments", "InkCodecs", "InkEngine", "InkSystem", "InkJSON",
                "InkReference",
                "InkTestSupport", "CSystem",
            ]),
        .testTarget(
            name: "InkConformanceTests",
            dependencies: ["InkDocuments", "InkCodecs", "InkEngine", "InkJSON", "InkReference", "InkTestSupport"],
            resources: [.copy("Data")]),
        .testTarget(
            name: "InkEndToEndTests",
            // Not `ink`: its linker's flags would be those of the tests. It is built with them all the same.
            dependencies: [
                "InkBroker", "InkPlanning", "InkDocuments", "InkCodecs", "InkEngine", "InkJSON", "InkReference",
                "InkTestSupport", "CSystem",
            ],
            resources: [.copy("Data")]),
    ],
    cxxLanguageStandard: .cxx17
)

/// Modules without loops over pixels, points or numbers: compiled without optimisation, in a fraction of the time.
let plainModules: Set<String> = ["InkCommands"]
/// Tests that compute pixels, or whole farms, themselves.
let computingTests: Set<String> = [
    "InkReferenceTests", "InkEngineTests", "InkCodecsTests", "InkConformanceTests", "InkSimulationTests",
]

for target in package.targets where target.type != .system && !target.name.hasPrefix("C") {
    let isPlain =
        target.type == .test ? !computingTests.contains(target.name) : plainModules.contains(target.name)
    // One set of flags for the program and for its tests, which see what is internal: what one has compiled, the other uses.
    let releaseFlags = ["-enable-testing", "-gline-tables-only"] + (isPlain ? ["-Onone"] : [])
    target.swiftSettings =
        (target.swiftSettings ?? []) + [
            .treatAllWarnings(as: .error),
            .enableUpcomingFeature("ExistentialAny"),
            .enableUpcomingFeature("MemberImportVisibility"),
            .enableUpcomingFeature("InternalImportsByDefault"),
            .unsafeFlags(releaseFlags, .when(configuration: .release)),
        ]
}
