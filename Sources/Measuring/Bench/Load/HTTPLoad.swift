import Load
import Workers

/// A load of HTTP requests from several clients.
///
/// Each client has its own connection and its own thread, and sends one request at a time.
enum HTTPLoad {
    private static let warmUpSeconds = 0.5

    /// Sends each client's request again and again for a number of seconds, after a warm-up.
    ///
    /// - Returns: The number of answers per second, and how long each answer took.
    /// - Throws: `LoadError` if a request is refused.
    static func run(_ requests: [[UInt8]], port: Int, seconds: Double) async throws -> LoadAnswers {
        let sockets = try requests.map { _ in try HTTPSocket(port: port) }
        let delays = try await withThrowingTaskGroup { group in
            for (socket, request) in zip(sockets, requests) {
                group.addTask {
                    try await withCheckedThrowingContinuation { answered in
                        PlainThread.detach {
                            answered.resume(with: Result { try ask(request, socket, seconds: seconds) })
                        }
                    }
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        return LoadAnswers(perSecond: Double(delays.count) / seconds, delays: delays)
    }

    private static func ask(_ request: [UInt8], _ socket: HTTPSocket, seconds: Double) throws(LoadError) -> [Double] {
        var delays: [Double] = []
        let stopwatch = Stopwatch()
        while true {
            let begin = stopwatch.seconds
            guard begin < warmUpSeconds + seconds else { return delays }
            try socket.send(request)
            let answer = try socket.message()
            guard answer.head.hasPrefix("http/1.1 200") else { throw .failed("refused: \(answer.head)") }
            if begin >= warmUpSeconds { delays.append((stopwatch.seconds - begin) * 1000) }
        }
    }
}

/// The answers to a load's requests.
struct LoadAnswers {
    var perSecond: Double
    /// The time from each request to its answer, in milliseconds.
    var delays: [Double]
}
