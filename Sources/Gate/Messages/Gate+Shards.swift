import Batching
import CMosquittoBroker

// Where several processes share the work, each worker takes the messages of some shards. So the topics that workers see
// have the shard in front, while clients write to the topics that they always had: the rights are checked before.
extension Gate {
    /// Divides clients' messages from now on, as a worker asks that takes those of some shards alone.
    ///
    /// The option says so from the broker's start on, before any worker is there.
    func divide() {
        guard !hasShards else { return }
        hasShards = true
        Broker.log(
            .warning,
            "messages are divided by shard since a worker asks for it: set plugin_opt_shards true"
        )
    }

    /// Returns the topic on which workers get what is published on a topic; nil for the same.
    func dividedTopic(_ topic: Bytes) -> [UInt8]? {
        hasShards ? Shard.divided(topic, root: settings.root) : nil
    }

    /// Returns the same for a topic of the gate's own messages.
    func topicForWorkers(_ topic: String) -> String {
        guard hasShards, let divided = Shard.divided(Array(topic.utf8), root: settings.root) else {
            return topic
        }
        return String(decoding: divided, as: UTF8.self)
    }

    /// Returns the topic behind the root on which workers get what the gate says of a terminal.
    func topicForWorkers(_ topic: String, ofTerminal terminalId: String) -> String {
        guard hasShards else { return "\(settings.root)/\(topic)" }
        let shard = Shard.name(Shard.of(terminalId.utf8))
        return "\(settings.root)/\(Shard.level)/\(shard)/\(topic)"
    }
}
