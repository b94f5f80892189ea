// ask(method, params): sends a request as the terminal and returns the answer as JSON. The function needs the package
// mqtt-nio, version 2 (github.com/swift-server-community/mqtt-nio). It also needs the environment variables whose names
// begin with LL_.
import Foundation
import MQTTNIO
import NIOCore

func ask(_ method: String, _ params: String) async throws -> String {
    let variables = ProcessInfo.processInfo.environment
    let (app, terminal) = (variables["LL_APP"] ?? "", variables["LL_TERMINAL"] ?? "")
    let token = variables["LL_TOKEN"].flatMap { $0.isEmpty ? nil : $0 }
    let base = "ll/v1/app/\(app)/\(terminal)"
    let client = MQTTClient(
        host: variables["LL_HOST"] ?? "127.0.0.1",
        port: Int(variables["LL_PORT"] ?? "") ?? 1883,
        identifier: terminal,
        eventLoopGroupProvider: .createNew,
        configuration: .init(version: .v5_0, userName: "app:\(app)", password: token ?? variables["LL_SECRET"])
    )
    do {
        _ = try await client.v5.connect(cleanStart: true)
        let listener = client.createPublishListener()
        _ = try await client.v5.subscribe(
            to: [MQTTSubscribeInfoV5(topicFilter: "\(base)/response", qos: .atLeastOnce)]
        )
        let id = UUID().uuidString.lowercased()
        let session = token.map { #""token":"\#($0)","# } ?? ""
        _ = try await client.v5.publish(
            to: "\(base)/request/\(method)",
            payload: ByteBuffer(string: #"{"id":"\#(id)",\#(session)"params":\#(params)}"#),
            qos: .atLeastOnce
        )
        var answer = ""
        for await result in listener {
            answer = String(buffer: try result.get().payload)
            if answer.contains(#""id":"\#(id)""#) { break }
        }
        try await client.v5.disconnect()
        try await client.shutdown()
        return answer
    } catch {
        try? await client.shutdown()
        throw error
    }
}
