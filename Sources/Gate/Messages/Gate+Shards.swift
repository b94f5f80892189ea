import Batching
import CMosquittoBroker

// The division of messages by shard. If several processes share the work, each worker takes the messages of some
// shards, so the topics that workers receive have the shard after the root. Clients still publish to their usual
// topics, and their rights are checked on those topics.
extension Gate {
    /// Starts to divide clients' messages by shard, at the request of a worker that takes only some shards.
    ///
    /// With the option `plugin_opt_shards`, messages are divided from the broker's start, before any worker connects.
    func divide() {
        guard !hasShards else { return }
        hasShards = true
        Broker.log(.warning, "messages are divided by shard because a worker requests it: set plugin_opt_shards true")
    }

    /// Returns the topic on which workers receive messages published on `topic`, or nil if the topics are the same.
    func dividedTopic(_ topic: Bytes) -> [UInt8]? { hasShards ? Shard.divided(topic, root: settings.root) : nil }

    /// Returns the topic on which workers receive the gate's own messages for `topic`.
    func topicForWorkers(_ topic: String) -> String {
        guard hasShards, let divided = Shard.divided(Array(topic.utf8), root: settings.root) else { return topic }
        return String(decoding: divided, as: UTF8.self)
    }

    /// Returns the topic on which workers receive the gate's messages about a terminal; `topic` is relative to the
    /// root.
    func topicForWorkers(_ topic: String, ofTerminal terminalId: String) -> String {
        guard hasShards else { return "\(settings.root)/\(topic)" }
        let shard = Shard.name(Shard.of(terminalId.utf8))
        return "\(settings.root)/\(Shard.level)/\(shard)/\(topic)"
    }
}
