package import Files
import Glibc
package import ServiceSettings
import Sodium
import Wire

/// The broker's configuration: its listeners and limits, and the options of the gate.
package struct BrokerPlan: Sendable {
    /// The path of the program `mosquitto`.
    package let program: String
    /// The path of `libLamplighterGate.so`.
    package let gate: String
    /// The address of the listener that the workers use.
    package let host: String
    /// The port of the listener that the workers use; never 0.
    package let port: Int
    /// All listeners of the broker.
    let listeners: [BrokerListener]
    /// The certificate of the listeners with TLS, or nil if no listener uses TLS.
    let tls: TLSMaterial?
    /// The first levels of every topic.
    package let root: String
    /// The SHA-256 of the workers' password, in hexadecimal digits.
    package let workerHash: String
    /// The data directory.
    package let directory: DataDirectory
    /// The name of the system user that runs the broker: this process's own user.
    package let user: String
    /// The maximum number of connections.
    package let connections: Int
    /// The maximum number of messages that the broker keeps for one slow or absent client.
    package let queuedMessages: Int
    /// The maximum number of bytes that the broker keeps for one slow or absent client.
    package let queuedBytes: Int
    /// The maximum memory of the broker in bytes, enforced by the kernel.
    ///
    /// Mosquitto's own option `memory_limit` isn't used. Mosquitto 2.0.11 counts 128 bytes too many for each closed
    /// MQTT 5 connection. When the count reaches the limit, Mosquitto accepts no more connections.
    package let memoryBytes: Int
    /// The highest QoS that products, devices and apps can use.
    ///
    /// The gate lets services use QoS 2 even if this number is lower.
    let clientQoS: Int
    /// The options of the gate that follow from the settings, as lines of mosquitto.conf.
    package let gateOptions: [String]

    /// The text of mosquitto.conf.
    package var text: String {
        """
        # Written by "lamplighter up" at every start; edits are lost.
        user \(user)
        pid_file \(directory.brokerPID)
        log_dest file \(directory.brokerLog)
        log_type error
        log_type warning
        log_type notice
        log_type information
        log_timestamp_format %Y-%m-%dT%H:%M:%S
        connection_messages false

        # Only the store keeps what must survive: a file of the broker's would contain requests
        # with passwords in clear, and would not be durable.
        persistence false
        allow_anonymous false
        allow_zero_length_clientid false

        plugin \(gate)
        plugin_opt_credentials \(directory.credentials)
        plugin_opt_root \(root)
        plugin_opt_worker_hash \(workerHash)
        plugin_opt_relayed_addresses \(directory.relayedAddresses)
        \(gateOptions.joined(separator: "\n"))

        # A payload can have 64 KiB. Somewhat larger ones still reach the workers, so that the
        # sender gets a reason and the operator a dead letter. message_size_limit isn't set:
        # the broker would drop messages above it before the gate has counted them.
        max_packet_size \(Payload.receivedBytesMax + Payload.bytesMax)
        max_inflight_messages \(ServiceLimits.inFlightMessagesMax)
        max_queued_messages \(queuedMessages)
        max_queued_bytes \(queuedBytes)
        max_keepalive \(ServiceLimits.keepAliveSecondsMax)
        persistent_client_expiration 7d
        set_tcp_nodelay true
        sys_interval 5

        \(listenerText)

        """
    }

    private var listenerText: String {
        listeners.map {
            $0.text(directory.brokerTLS, connections: connections, qos: clientQoS)
        }
        .joined(separator: "\n\n")
    }
}

extension BrokerPlan {
    /// Plans a broker from the settings, and finds the program `mosquitto` and the gate.
    ///
    /// - Throws: A `Problem` if the program or the gate isn't found.
    package init(
        settings: Settings,
        directory: DataDirectory,
        ports: ListenerPorts,
        tls: TLSMaterial? = nil,
        secret: String
    ) throws {
        program = try BrokerFiles.program(settings)
        gate = try BrokerFiles.gate(settings)
        host = settings.mqttHost
        port = ports.mqtt
        listeners = BrokerListener.all(settings, ports)
        self.tls = tls
        root = settings.root
        workerHash = Sodium.hex(Sodium.sha256(secret.utf8))
        self.directory = directory
        user = Self.currentUser
        connections = settings.brokerConnections
        queuedMessages = settings.brokerQueuedMessages
        queuedBytes = settings.brokerQueuedBytes
        memoryBytes = settings.brokerMemoryBytes
        clientQoS = settings.brokerClientQoS
        gateOptions = settings.gateLines
    }

    private static var currentUser: String {
        guard let entry = getpwuid(geteuid()) else { return "root" }
        return String(cString: entry.pointee.pw_name)
    }
}
