import Problems

extension BenchCommand {
    func run() throws {
        throw Problem.notInPackage(command: (["deploy/bench"] + words).joined(separator: " "))
    }
}
