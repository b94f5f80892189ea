import Load

/// Requests of many app terminals.
final class RequestLoad: AnsweredLoad {
    /// A request, and how many of it a terminal has under way.
    struct Question: Sendable {
        var method: String
        /// The JSON text of the parameters; `#` stands for the terminal's index.
        var params: String
        var needsToken = true
        /// The number of requests that a terminal has under way.
        var window = 4
    }

    private(set) var terminals: [LoadTerminal]
    private let question: Question
    /// The prefix that makes the ids of this load differ from those of others.
    private let prefix: String
    /// The number of `answered` requests that were refused.
    private(set) var refused = 0
    /// The first refusal.
    private(set) var firstRefusal: String?

    /// Creates the load without connecting; each terminal uses its token, or the app's secret instead.
    init(
        _ question: Question,
        terminals: [LoadTerminal],
        root: String,
        secret: String? = nil,
        napMicroseconds: UInt32 = 500
    ) {
        self.question = question
        self.terminals = terminals
        prefix = question.method.replacing("/", with: "-")
        super.init(
            terminals.map { .init(login: $0.login(secret: secret), filters: ["\($0.space(root))/response"]) },
            topics: terminals.map { "\($0.space(root))/request/\(question.method)" },
            window: question.window,
            napMicroseconds: napMicroseconds
        )
    }

    override func write(_ index: Int, into payload: inout [UInt8]) {
        payload += "{\"id\":\"\(prefix)-\(sent)\"".utf8
        if question.needsToken { payload += ",\"token\":\"\(terminals[index].token)\"".utf8 }
        let params = question.params.replacing("#", with: "\(index)")
        payload += ",\"params\":\(params)}".utf8
    }

    override func take(_ answer: UnsafeRawBufferPointer, of index: Int) {
        let text = String(decoding: answer, as: UTF8.self)
        if text.contains("\"error\":") {
            refused += 1
            firstRefusal = firstRefusal ?? text
        }
        // A refreshed token is used from now on.
        if question.method == "session/refresh",
            let token = text.split(separator: "\"token\":\"")
                .dropFirst().first?.prefix(while: { $0 != "\"" })
        {
            terminals[index].token = String(token)
        }
    }
}
