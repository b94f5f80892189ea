import JSON
import Problems
import Testing

@testable import Service

@Suite struct ProblemTests {
    private let problem = Problem(
        .portTaken,
        "port 1883 is taken by mosquitto (pid 812)",
        at: "127.0.0.1:1883",
        why: "\"up\" starts a broker of its own",
        cures: [.init("lamplighter up --mqtt-port 0", "any free port"), .init("kill 812", "end that program")]
    )

    @Test("A person reads the problem, the reason, the solution and where to learn more")
    func text() {
        #expect(
            problem.text == """
                error LL1003  port 1883 is taken by mosquitto (pid 812)
                  why   "up" starts a broker of its own
                  do    lamplighter up --mqtt-port 0   any free port
                    or  kill 812                       end that program
                  more  lamplighter explain LL1003
                """
        )
    }

    @Test("A program reads the same as JSON")
    func json() {
        let error = problem.json.objectValue?["error"]?.objectValue

        #expect(error?["code"]?.stringValue == "LL1003")
        #expect(error?["where"]?.stringValue == "127.0.0.1:1883")
        #expect(error?["cause"]?.stringValue == problem.why)
        #expect(error?["cures"]?.arrayValue?.count == 2)
        #expect(error?["doc"]?.stringValue == "lamplighter explain LL1003")
    }

    @Test("Each code has its own page", arguments: ProblemCode.allCases)
    func pages(_ code: ProblemCode) {
        #expect(!code.page.text.isEmpty)
        #expect(ProblemCode(named: code.rawValue.lowercased()) == code)
        #expect(ProblemCode(named: String(code.rawValue.dropFirst(2))) == code)
        let others = ProblemCode.allCases.filter { $0 != code }
        #expect(!others.contains { $0.page.title == code.page.title })
    }

    @Test("An invalid command line is reported like any other problem")
    func usage() {
        let help = """
            Error: Missing expected argument '<did>'
            Help:  <did>  The device's id.
            Usage: lamplighter device show <did> [--json]
              See 'lamplighter device show --help' for more information.
            """

        let problem = Problem.usage("Missing expected argument '<did>'", help: help)

        #expect(
            problem.text == """
                error LL1105  Missing expected argument '<did>'
                  why   Usage: lamplighter device show <did> [--json]
                  do    lamplighter device show --help   lists all arguments
                  more  lamplighter explain LL1105
                """
        )
    }

    @Test("A terse parser error still points to the help")
    func bareUsage() {
        let problem = Problem.usage("", help: "")

        #expect(problem.message == "the command is incomplete")
        #expect(problem.cures.map(\.command) == ["lamplighter --help"])
    }
}
