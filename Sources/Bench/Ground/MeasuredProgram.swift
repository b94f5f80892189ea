import Service
import SystemPackage

/// The program that the benchmarks start, and the gate of its broker.
package struct MeasuredProgram: Sendable {
    /// The path of `lamplighter`.
    package let program: String
    /// The path of the gate in the same folder.
    package let gate: String

    /// The one in use: those beside this executable unless a command names others.
    @TaskLocal package static var current = beside(Executables.ownPath)

    /// Names a program by its path, or by the folder that it is in.
    package init(_ path: String) {
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
