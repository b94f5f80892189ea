package import Domain
package import Providers
package import Storage

extension Transaction {
    /// Returns an app's key for Web Push; the key is derived from the installation's key and therefore isn't stored.
    ///
    /// The key is nil only if none of several derived numbers is a valid private key, which doesn't happen in practice.
    package func webPushKey(of app: AppID) -> VAPIDKey? {
        for number in 0..<8 {
            if let key = VAPIDKey(hash("\(app) \(number)", boundTo: "webpush")) { return key }
        }
        return nil
    }
}
