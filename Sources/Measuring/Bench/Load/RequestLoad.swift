import Load

/// A load in which many app terminals repeat the same request.
final class RequestLoad: AnsweredLoad {
    /// A request that the terminals repeat.
    struct Question: Sendable {
        var method: String
        /// The parameters as JSON, in which the load replaces `#` with the terminal's index.
        var params: String
        var needsToken = true
        /// The maximum number of unanswered requests that a terminal has at the same time.
        var window = 4
    }

    private(set) var terminals: [LoadTerminal]
    private let question: Question
    /// The prefix that distinguishes the request ids of this load from those of other loads.
    private let prefix: String
    private(set) var refused = 0
    private(set) var firstRefusal: String?

    /// Creates the load without connecting.
    ///
    /// If `secret` is nil, terminals connect with their tokens instead of the app's secret.
    ///
    /// `nap` is the pause between two reads, in microseconds.
    init(_ question: Question, terminals: [LoadTerminal], root: String, secret: String? = nil, nap: UInt32 = 500) {
        self.question = question
        self.terminals = terminals
        prefix = question.method.replacing("/", with: "-")
        super.init(
            terminals.map { .init(login: $0.login(secret: secret), filters: ["\($0.space(root))/response"]) },
            topics: terminals.map { "\($0.space(root))/request/\(question.method)" },
            window: question.window,
            napMicroseconds: nap
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
        // The terminal uses the refreshed token from now on.
        if question.method == "session/refresh",
            let token = text.split(separator: "\"token\":\"").dropFirst().first?.prefix(while: { $0 != "\"" })
        {
            terminals[index].token = String(token)
        }
    }
}
