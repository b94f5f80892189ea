import Service
import SystemPackage

/// The program that the benchmarks start, and the gate that the program's broker loads.
struct MeasuredProgram: Sendable {
    /// The path of `lamplighter`.
    let program: String
    /// The path of the gate, which is in the same folder as `lamplighter`.
    let gate: String

    /// The program to measure, by default the one in this executable's folder.
    @TaskLocal static var current = beside(Executables.ownPath)

    /// Creates a program from its path, or from the path of its folder.
    init(_ path: String) {
        let isFolder = FilePath(path).lastComponent?.string != Self.name
        let folder = isFolder ? FilePath(path) : FilePath(path).removingLastComponent()
        program = folder.appending(Self.name).string
        gate = folder.appending("libLamplighterGate.so").string
    }

    private static let name = "lamplighter"

    private static func beside(_ executable: FilePath) -> MeasuredProgram {
        MeasuredProgram(executable.removingLastComponent().string)
    }
}
