import Files
import JSON
import Problems
import Service
package import ServiceSettings

extension SimulateOptions {
    /// Reads the port of the service that uses a data directory, and the directory's demo product and app.
    ///
    /// `productFile` is the path of a document that replaces the demo product. The document must contain a
    /// `productSecret`.
    /// - Throws: A `Problem` if no service uses the directory, or the product's document is unusable.
    package static func of(_ settings: Settings, productFile: String?) throws -> SimulateOptions {
        let directory = try DataDirectory.existing(settings)
        guard let ready = ReadyFile.read(directory), let port = ready["mqttPort"]?.intValue else {
            throw Problem.noServiceToSimulate(directory: directory.path, ready: directory.ready)
        }
        var document: JSONObject
        if let productFile {
            document = try read(productFile)
        } else {
            document = DemoDocuments.product(try DemoKeys.read(directory)).objectValue ?? [:]
        }
        guard let secret = document["productSecret"]?.stringValue else {
            throw Problem.productDocumentUnusable(path: productFile ?? "", why: "it has no \"productSecret\"")
        }
        var options = SimulateOptions(product: document, productSecret: secret)
        options.port = Int(port)
        options.root = settings.root
        if let demo = try? DemoKeys.read(directory) { options.app = App(appID: demo.appID, secret: demo.appSecret) }
        return options
    }

    private static func read(_ path: String) throws -> JSONObject {
        guard let bytes = TextFile.readBytes(path) else {
            throw Problem.productDocumentUnusable(path: path, why: "it cannot be read")
        }
        do {
            if let object = try JSONValue.parse(bytes).objectValue { return object }
        } catch { throw Problem.productDocumentUnusable(path: path, why: "\(error)") }
        throw Problem.productDocumentUnusable(path: path, why: "it is not a JSON object")
    }
}
