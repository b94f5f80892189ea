import Batching
import CMosquittoBroker
import JSON

// The division of messages by shard. If several processes share the work, each worker takes some shards. Workers'
// topics then contain the shard's name after the root. Clients' topics stay the same, and the gate checks rights for
// these topics.
extension Gate {
    /// Starts to divide clients' messages by shard, because a worker takes only some shards.
    ///
    /// With the option `plugin_opt_shards`, the gate divides messages from the broker's start.
    func divide() {
        guard !hasShards else { return }
        hasShards = true
        Broker.log(.warning, "messages are divided by shard at a worker's request; set plugin_opt_shards to true")
    }

    /// Returns the topic on which workers receive the messages of `topic`, or nil if workers receive them on `topic`
    /// itself.
    func dividedTopic(_ topic: Bytes) -> [UInt8]? { hasShards ? Shard.divided(topic, root: settings.root) : nil }

    /// Returns the topic on which workers receive the gate's own messages for `topic`.
    func topicForWorkers(_ topic: String) -> String {
        guard hasShards, let divided = Shard.divided(Array(topic.utf8), root: settings.root) else { return topic }
        return String(decoding: divided, as: UTF8.self)
    }

    /// Makes the gate publish a client's message to workers, in place of the broker.
    func passOn(_ topic: Bytes, _ payload: Bytes, with properties: MessageProperties) {
        let topic = topicForWorkers(String(decoding: topic, as: UTF8.self))
        Broker.publish(topic, Array(payload), qos: 1, properties: properties)
    }

    /// Adds the root to `topic`, and publishes a message about a terminal to workers.
    func tellWorkers(_ topic: String, ofTerminal terminalId: String, _ message: JSONObject) {
        Broker.publish(topicForWorkers(topic, ofTerminal: terminalId), message, qos: 1)
    }

    /// Adds the root, and perhaps the terminal's shard, to the topic of a message.
    func topicForWorkers(_ topic: String, ofTerminal terminalId: String) -> String {
        guard hasShards else { return "\(settings.root)/\(topic)" }
        let shard = Shard.name(Shard.of(terminalId.utf8))
        return "\(settings.root)/\(Shard.level)/\(shard)/\(topic)"
    }
}
