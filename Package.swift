// swift-tools-version: 6.2

import PackageDescription

/// The compiler settings of every target.
///
/// Each feature in the list is a language proposal that the next language mode will adopt. All warnings are errors.
let settings: [SwiftSetting] = [
    // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0335-existential-any.md
    .enableUpcomingFeature("ExistentialAny"),
    // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0409-access-level-on-imports.md
    .enableUpcomingFeature("InternalImportsByDefault"),
    // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0444-member-import-visibility.md
    .enableUpcomingFeature("MemberImportVisibility"),
    // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0461-async-function-isolation.md
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0470-isolated-conformances.md
    .enableUpcomingFeature("InferIsolatedConformances"),
    // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0481-weak-let.md
    .enableUpcomingFeature("ImmutableWeakCaptures"),
    .treatAllWarnings(as: .error),
]

/// The compiler settings of the targets that a message passes through.
///
/// These targets are optimized in debug builds too; assertions stay enabled. `deploy/run` and `deploy/test` share the
/// debug build. Each of these targets is compiled as a whole module. Other targets can inline its functions.
let hot =
    settings + [
        .unsafeFlags(
            [
                "-O", "-assert-config", "Debug", "-whole-module-optimization", "-disable-batch-mode",
                "-num-threads", "4", "-Xfrontend", "-enable-default-cmo",
            ],
            .when(configuration: .debug)
        )
    ]

/// Links the Swift runtime into debug builds of the program, as `--static-swift-stdlib` does in release builds.
///
/// The linked program has no unused code, no relocations and no Swift libraries to relocate. An idle service therefore
/// needs a tenth less memory. The program in a package stays relocatable.
let staticRuntime: [LinkerSetting] = [
    .unsafeFlags(
        [
            "-static-stdlib", "-lFoundation", "-lCoreFoundation", "-lFoundationInternationalization",
            "-lFoundationEssentials", "-l_FoundationICU", "-l_FoundationCollections", "-l_FoundationCShims",
            "-lswiftSynchronization", "-use-ld=lld", "-Xlinker", "--gc-sections", "-Xclang-linker", "-no-pie",
        ],
        .when(configuration: .debug)
    )
]

let package = Package(
    name: "lamplighter",
    products: [
        .executable(name: "lamplighter", targets: ["lamplighter"]),
        .executable(name: "lamplighter-bench", targets: ["lamplighter-bench"]),
        .library(name: "LamplighterGate", type: .dynamic, targets: ["GatePlugin"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
        .package(url: "https://github.com/apple/swift-collections", exact: "1.6.0"),
        .package(url: "https://github.com/apple/swift-crypto", exact: "4.5.2"),
        .package(
            url: "https://github.com/apple/swift-configuration",
            exact: "1.4.0",
            traits: ["JSON", "YAML"]
        ),
        .package(url: "https://github.com/apple/swift-log", exact: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", exact: "2.13.0"),
        .package(url: "https://github.com/apple/swift-system", exact: "1.8.1"),
        .package(url: "https://github.com/apple/swift-nio", exact: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", exact: "2.37.6"),
        .package(url: "https://github.com/apple/swift-certificates", exact: "1.21.1"),
        .package(url: "https://github.com/apple/swift-asn1", exact: "1.7.4"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", exact: "2.28.1", traits: []),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", exact: "2.13.0"),
    ],
    targets: [
        // C libraries.
        .systemLibrary(
            name: "CSQLite",
            path: "Sources/Libraries/CSQLite",
            pkgConfig: "sqlite3",
            providers: [.apt(["libsqlite3-dev"])]
        ),
        .systemLibrary(name: "CLinux", path: "Sources/Libraries/CLinux"),
        .systemLibrary(
            name: "CCurl",
            path: "Sources/Libraries/CCurl",
            pkgConfig: "libcurl",
            providers: [.apt(["libcurl4-openssl-dev"])]
        ),
        .systemLibrary(
            name: "CMosquitto",
            path: "Sources/Libraries/CMosquitto",
            pkgConfig: "libmosquitto",
            providers: [.apt(["libmosquitto-dev"])]
        ),
        .systemLibrary(
            name: "CMosquittoBroker",
            path: "Sources/Libraries/CMosquittoBroker",
            providers: [.apt(["libmosquitto-dev", "mosquitto-dev"])]
        ),
        .systemLibrary(
            name: "CPostgreSQL",
            path: "Sources/Libraries/CPostgreSQL",
            pkgConfig: "libpq",
            providers: [.apt(["libpq-dev"])]
        ),
        .systemLibrary(
            name: "CQREncode",
            path: "Sources/Libraries/CQREncode",
            pkgConfig: "libqrencode",
            providers: [.apt(["libqrencode-dev"])]
        ),
        .systemLibrary(
            name: "CSodium",
            path: "Sources/Libraries/CSodium",
            pkgConfig: "libsodium",
            providers: [.apt(["libsodium-dev"])]
        ),
        .systemLibrary(
            name: "CZlib",
            path: "Sources/Libraries/CZlib",
            pkgConfig: "zlib",
            providers: [.apt(["zlib1g-dev"])]
        ),

        // The targets that the gate and the service share. They use neither Foundation nor concurrency.
        .target(name: "JSON", path: "Sources/Shared/JSON", swiftSettings: hot),
        .target(name: "Batching", path: "Sources/Shared/Batching", swiftSettings: hot),
        .target(name: "Credentials", path: "Sources/Shared/Credentials", swiftSettings: hot, plugins: ["EmbedTexts"]),
        .target(name: "Metering", path: "Sources/Shared/Metering", swiftSettings: hot, plugins: ["DeclareSettings"]),

        // The broker plugin, libLamplighterGate.so. `Gate` makes the plugin's decisions, and `GatePlugin` has the
        // functions that the broker looks for. Only `GatePlugin` links the static Swift runtime, because tests must not
        // load the runtime twice.
        .target(
            name: "Gate",
            dependencies: ["Batching", "CMosquittoBroker", "CSodium", "Credentials", "JSON", "Metering"],
            swiftSettings: hot,
            plugins: ["EmbedTexts"]
        ),
        .target(
            name: "GatePlugin",
            dependencies: ["CMosquittoBroker", "Gate"],
            swiftSettings: hot,
            linkerSettings: [.unsafeFlags(["-static-stdlib"])]
        ),

        // The targets of the service, the lowest layer first.
        .target(
            name: "Mosquitto",
            dependencies: ["Batching", "CMosquitto"],
            path: "Sources/Libraries/Mosquitto",
            swiftSettings: hot
        ),
        .target(
            name: "PostgreSQL",
            dependencies: ["CPostgreSQL"],
            path: "Sources/Libraries/PostgreSQL",
            swiftSettings: hot
        ), .target(name: "SQLite", dependencies: ["CSQLite"], path: "Sources/Libraries/SQLite", swiftSettings: hot),
        .target(name: "Sodium", dependencies: ["CSodium"], path: "Sources/Libraries/Sodium", swiftSettings: hot),
        .target(name: "QRCode", dependencies: ["CQREncode"], path: "Sources/Libraries/QRCode", swiftSettings: settings),
        .target(
            name: "Domain",
            dependencies: ["JSON"],
            exclude: ["Texts"],
            swiftSettings: hot,
            plugins: ["DeclareSettings", "EmbedTexts"]
        ),
        .target(
            name: "Wire",
            dependencies: ["Batching", "Domain", "JSON"],
            swiftSettings: hot
        ),
        .target(
            name: "Storage",
            dependencies: ["Batching", "Domain", "JSON", "Credentials", "Sodium", "CSQLite", "PostgreSQL", "SQLite"],
            resources: [.embedInCode("SQL/database.sql"), .embedInCode("SQL/Migrations")],
            swiftSettings: hot
        ),
        .target(
            name: "Providers",
            dependencies: [
                "CCurl", "Domain", "JSON", "Sodium", .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
                .product(name: "Logging", package: "swift-log"), .product(name: "NIOPosix", package: "swift-nio"),
            ],
            swiftSettings: settings
        ),
        .target(
            name: "Certificates",
            dependencies: [
                "Domain",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "SwiftASN1", package: "swift-asn1"),
                .product(name: "X509", package: "swift-certificates"),
            ],
            swiftSettings: settings
        ),
        .target(
            name: "Workers",
            dependencies: [
                "Batching", "Credentials", "Domain", "Wire", "JSON", "Storage", "Mosquitto", "Sodium", "Providers",
                "QRCode", .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "Logging", package: "swift-log"), .product(name: "Metrics", package: "swift-metrics"),
            ],
            swiftSettings: hot
        ),
        .target(
            name: "Web",
            dependencies: [
                "Domain", "JSON", "Metering", "Wire",
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"), .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"), .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "NIOTLS", package: "swift-nio"), .product(name: "NIOWebSocket", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            exclude: ["Texts"],
            swiftSettings: settings,
            plugins: ["EmbedTexts"]
        ),
        // The build plugin that declares the settings and limits of schemas/settings.yaml in Swift.
        .executableTarget(
            name: "SettingsTool",
            path: "Plugins/SettingsTool",
            swiftSettings: settings
        ),
        .plugin(
            name: "DeclareSettings",
            capability: .buildTool(),
            dependencies: ["SettingsTool"]
        ),
        // The build plugin that embeds texts, followed by the target `Reference`, which contains the reference site. In
        // this target, the plugin embeds the site's pages (schemas/generated/reference.txt) and the playground's files.
        .executableTarget(
            name: "EmbedTool",
            path: "Plugins/EmbedTool",
            swiftSettings: settings
        ),
        .plugin(
            name: "EmbedTexts",
            capability: .buildTool(),
            dependencies: ["EmbedTool"]
        ),
        .target(
            name: "Reference",
            dependencies: ["Domain"],
            exclude: ["Playground", "Texts"],
            swiftSettings: settings,
            plugins: ["EmbedTexts"]
        ),
        // Five targets, in this order: users' errors, each with a code and cures; the files of the data directory; the
        // backups; the settings; and the service itself.
        .target(name: "Problems", dependencies: ["JSON"], swiftSettings: settings, plugins: ["EmbedTexts"]),
        .target(
            name: "Files",
            dependencies: [
                "Problems", "Sodium",
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: settings
        ),
        .target(
            name: "Backups",
            dependencies: [
                "Domain", "Files", "JSON", "Problems", "Sodium", "Storage",
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: settings
        ),
        .target(
            name: "ServiceSettings",
            dependencies: [
                "Domain", "Files", "JSON", "Metering", "PostgreSQL", "Problems",
                .product(name: "Configuration", package: "swift-configuration"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: settings,
            plugins: ["DeclareSettings"]
        ),
        .target(
            name: "Service",
            dependencies: [
                "Domain", "Wire", "JSON", "Storage", "Mosquitto", "Sodium", "Workers", "Web", "Backups", "Batching",
                "Certificates", "Credentials", "CLinux", "Files", "Metering", "PostgreSQL", "Problems", "Providers",
                "Reference", "ServiceSettings", .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
                .product(name: "Logging", package: "swift-log"), .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: settings,
            plugins: ["EmbedTexts"]
        ),

        // The target with the table of operations that the console and the command line share.
        .target(
            name: "Administration",
            dependencies: [
                "Backups", "Certificates", "Domain", "Files", "JSON", "Problems", "QRCode", "Service",
                "ServiceSettings", "Sodium", "Storage", "Web", "Wire", "Workers",
                .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: settings
        ),

        // The target of the operators' console: the files of its pages, and its HTTP interface.
        .target(
            name: "Console",
            dependencies: [
                "Administration", "Batching", "Credentials", "CZlib", "Domain", "Files", "JSON",
                "Mosquitto", "Providers", "Service", "ServiceSettings", "Sodium", "Storage", "Web",
                "Wire", "Workers",
                .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "Logging", package: "swift-log"),
            ],
            exclude: ["Files"],
            swiftSettings: settings,
            plugins: ["EmbedTexts"]
        ),

        // The targets that only the executables need, for measuring and simulating.
        .target(
            name: "PlainSubscriber",
            dependencies: ["CMosquitto", "Mosquitto"],
            path: "Sources/Measuring/PlainSubscriber",
            swiftSettings: settings
        ),
        .target(
            name: "Load",
            dependencies: ["CLinux", "Domain", "Workers"],
            path: "Sources/Measuring/Load",
            swiftSettings: settings
        ),
        .target(
            name: "Simulate",
            dependencies: ["Domain", "Files", "JSON", "Load", "Problems", "Service", "ServiceSettings", "Wire"],
            swiftSettings: settings
        ),
        .target(
            name: "Bench",
            dependencies: [
                "CCurl", "Domain", "Files", "JSON", "Load", "Metering", "Mosquitto", "PlainSubscriber",
                "PostgreSQL", "Providers", "Service", "ServiceSettings", "Sodium", "Storage", "Web",
                "Workers",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            path: "Sources/Measuring/Bench",
            swiftSettings: settings,
            plugins: ["EmbedTexts"]
        ),
        .executableTarget(
            name: "lamplighter",
            dependencies: [
                "Administration", "Backups", "Certificates", "Console", "Domain", "Files", "Wire",
                "JSON",
                "Problems", "PostgreSQL", "Reference", "Storage", "Mosquitto", "Simulate", "Sodium",
                "Workers", "Service",
                "ServiceSettings", "QRCode",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: settings,
            linkerSettings: staticRuntime,
            plugins: ["EmbedTexts"]
        ),

        .executableTarget(
            name: "lamplighter-bench",
            dependencies: [
                "Bench", "Problems", "Service", .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Sources/Measuring/lamplighter-bench",
            swiftSettings: settings
        ),

        // The tests, and the targets that the tests share.
        .target(name: "TestKit", path: "Tests/TestKit", swiftSettings: settings),
        .target(
            name: "StoreTestKit",
            dependencies: ["PostgreSQL", "Sodium", "Storage", "TestKit"],
            path: "Tests/StoreTestKit",
            swiftSettings: settings
        ),
        .executableTarget(
            name: "CrashProbe",
            dependencies: [
                "Domain", "JSON", "Mosquitto", "PostgreSQL", "Sodium", "Storage", "Wire", "Workers",
                .product(name: "Logging", package: "swift-log"),
            ],
            path: "Tests/Support/CrashProbe",
            swiftSettings: settings
        ),
        .executableTarget(
            name: "MosquittoProbe",
            dependencies: ["Mosquitto", "PlainSubscriber"],
            path: "Tests/Support/MosquittoProbe",
            swiftSettings: settings
        ), .testTarget(name: "CredentialsTests", dependencies: ["Credentials", "TestKit"], swiftSettings: settings),
        .testTarget(name: "BatchingTests", dependencies: ["Batching", "TestKit"], swiftSettings: settings),
        .testTarget(name: "MeteringTests", dependencies: ["Metering", "TestKit"], swiftSettings: settings),
        .testTarget(
            name: "GateTests",
            dependencies: ["Batching", "Credentials", "Gate", "JSON", "Metering", "TestKit"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "MosquittoTests",
            dependencies: ["Batching", "Mosquitto", "MosquittoProbe", "TestKit"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "WebTests",
            dependencies: [
                "Domain", "Metering", "Web", "JSON", "TestKit", .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "NIOEmbedded", package: "swift-nio"), .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "AdministrationTests",
            dependencies: ["Administration", "Domain", "JSON", "Storage", "StoreTestKit", "TestKit"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "ConsoleTests",
            dependencies: ["Administration", "Console", "Domain", "JSON", "TestKit", "Wire"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "BackupsTests",
            dependencies: ["Backups", "Domain", "Files", "Problems", "Service", "Storage", "TestKit"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "ServiceTests",
            dependencies: [
                "Certificates", "Domain", "Files", "JSON", "Metering", "Mosquitto", "Problems",
                "Service", "ServiceSettings", "Sodium", "Storage", "TestKit", "Web", "Wire",
                "Workers",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "ServiceSettingsTests",
            dependencies: [
                "Domain", "JSON", "Metering", "Problems", "ServiceSettings", "TestKit",
            ],
            swiftSettings: settings
        ), .testTarget(name: "BenchTests", dependencies: ["Bench", "Simulate"], swiftSettings: settings),
        .testTarget(
            name: "ProvidersTests",
            dependencies: [
                "Domain", "JSON", "Providers", "Sodium", "TestKit",
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "JSONTests",
            dependencies: ["JSON", "TestKit"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "ReferenceTests",
            dependencies: [
                "Credentials", "Domain", "JSON", "Problems", "Reference", "Service", "ServiceSettings", "Web",
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "CertificatesTests",
            dependencies: ["Certificates", "Domain", "TestKit"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "PostgreSQLTests",
            dependencies: ["PostgreSQL", "TestKit"],
            swiftSettings: settings
        ),
        .testTarget(name: "QRCodeTests", dependencies: ["QRCode"], swiftSettings: settings),
        .testTarget(name: "SodiumTests", dependencies: ["Sodium"], swiftSettings: settings),
        .testTarget(name: "DomainTests", dependencies: ["Domain", "JSON", "TestKit"], swiftSettings: settings),
        .testTarget(name: "WireTests", dependencies: ["Domain", "JSON", "TestKit", "Wire"], swiftSettings: settings),
        .testTarget(
            name: "StorageTests",
            dependencies: [
                "Batching", "CPostgreSQL", "Credentials", "Domain", "JSON", "PostgreSQL", "SQLite", "Sodium", "Storage",
                "StoreTestKit", "TestKit",
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "WorkersTests",
            dependencies: [
                "Batching", "CrashProbe", "Domain", "JSON", "Mosquitto", "PostgreSQL", "Sodium", "Storage",
                "StoreTestKit", "TestKit", "Wire", "Workers", .product(name: "Logging", package: "swift-log"),
                .product(name: "MetricsTestKit", package: "swift-metrics"),
            ],
            swiftSettings: settings
        ),
    ],
    swiftLanguageModes: [.v6]
)
