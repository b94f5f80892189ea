import JSON
import Service

extension VersionCommand {
    func run() {
        if output.json {
            Terminal.show(.object(["version": .string(Version.text)]))
        } else {
            print("lamplighter \(Version.text)")
        }
    }
}
