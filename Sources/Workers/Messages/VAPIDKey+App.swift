package import Domain
package import Providers
package import Storage

extension Transaction {
    /// Returns an app's key for Web Push, derived from the installation's key.
    ///
    /// The function derives up to eight numbers until one is a valid private key. The result is nil only if all eight
    /// numbers are invalid. In practice, this never happens.
    package func webPushKey(of app: AppID) -> VAPIDKey? {
        for number in 0..<8 {
            if let key = VAPIDKey(hash("\(app) \(number)", boundTo: "webpush")) { return key }
        }
        return nil
    }
}
