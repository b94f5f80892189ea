import JSON
package import Reference
import ServiceSettings
import Web

/// The reference manual of this program, as files.
package enum ReferenceDocuments {
    /// The files, which are read when this property is first used.
    package static let site = ReferenceSite(version: Version.text)

    /// Returns the files and this run's playground, for the listener of web pages.
    static func documents(_ context: RunContext) -> Documents {
        Documents(playground: playground(context)) { path in
            site.files[path].map { (ReferenceSite.mediaType(of: path), $0) }
        }
    }

    private static func playground(_ context: RunContext) -> Playground {
        Playground(webSocketPort: context.ports.webSocket, webSocketTLSPort: context.ports.webSocketTLS) { isLocal in
            String(decoding: facts(context, isLocal: isLocal).encoded(), as: UTF8.self) + "\n"
        }
    }

    /// Returns the ports, and for local visitors also the demo's keys and the broker's address.
    private static func facts(_ context: RunContext, isLocal: Bool) -> JSONValue {
        let (ports, settings) = (context.ports, context.settings)
        func number(_ port: Int?) -> JSONValue? { port.map { .integer(Int64($0)) } }
        // If the public URL isn't local, remote visitors who come through a proxy might look local.
        let isOpen = isLocal && context.isPublicURLLocal
        let broker: JSONObject = ["host": .string(Banner.reachable(settings.mqttHost)), "port": number(ports.mqtt)]
        return .object([
            "version": .string(Version.text), "root": .string(settings.root), "httpPort": number(ports.http),
            "httpTlsPort": number(ports.httpTLS), "webSocketPort": number(ports.webSocket),
            "webSocketTlsPort": number(ports.webSocketTLS),
            "mqtt": isOpen && context.ownsBroker ? .object(broker) : nil, "keys": isOpen ? context.demo?.json : nil,
        ])
    }
}
