package import Files
import Glibc
package import ServiceSettings
import Sodium
import Wire

/// The configuration of the broker child: where it listens, what the gate needs, and its limits.
package struct BrokerPlan: Sendable {
    /// Path of the program mosquitto.
    package let program: String
    /// Path of libLamplighterGate.so.
    package let gate: String
    /// Address of the workers' listener.
    package let host: String
    /// Port of the workers' listener; never 0.
    package let port: Int
    /// All listeners.
    let listeners: [BrokerListener]
    /// The certificate of the listeners with TLS; nil if there are none.
    let tls: TLSMaterial?
    /// First levels of every topic.
    package let root: String
    /// The workers' password, hashed: hex of its SHA-256.
    package let workerHash: String
    /// The data directory.
    package let directory: DataDirectory
    /// Name of the user that runs the broker: this process's own.
    package let user: String
    /// The maximum number of connections.
    package let connections: Int
    /// The maximum number of messages kept for one slow or absent client.
    package let queuedMessages: Int
    /// The maximum number of bytes kept for one slow or absent client.
    package let queuedBytes: Int
    /// The maximum memory in bytes, enforced by the kernel.
    ///
    /// `memory_limit` isn't used: Mosquitto 2.0.11 overcounts its memory by 128 bytes for each closed MQTT 5
    /// connection, and accepts no connections once that count is full.
    package let memoryBytes: Int
    /// The highest QoS of a listener; the gate lets services use 2.
    let clientQoS: Int
    /// The gate's options that follow from settings, as lines.
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

        # What must survive lies in the store: the broker's own file would keep requests with
        # passwords in clear, and is not durable.
        persistence false
        allow_anonymous false
        allow_zero_length_clientid false

        plugin \(gate)
        plugin_opt_credentials \(directory.credentials)
        plugin_opt_root \(root)
        plugin_opt_worker_hash \(workerHash)
        plugin_opt_relayed_addresses \(directory.relayedAddresses)
        \(gateOptions.joined(separator: "\n"))

        # A payload may have 64 KiB. One somewhat larger still reaches the workers, so that the
        # sender gets a reason and the operator a dead letter. No message_size_limit: what is
        # dropped for that is dropped before the gate has counted it.
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
    /// Plans a broker from the settings: finds the program and the gate.
    ///
    /// - Throws: A `Problem` if one of them isn't found.
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
