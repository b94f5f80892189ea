import Hummingbird

/// A route that serves users' pictures by their digests.
///
/// A digest always identifies the same picture. Browsers may therefore keep the picture for a year.
struct AvatarRoute: Sendable {
    let pages: Pages

    func add(to router: Router<WebContext>) {
        router.get("avatars/{digest}") { _, context in
            let digest = context.parameters.get("digest") ?? ""
            guard digest.utf8.count <= 64, let image = await pages.avatar(digest) else {
                return Response(status: .notFound)
            }
            var response = Response(
                status: .ok,
                headers: [
                    .contentType: image.mediaType, .cacheControl: "public, max-age=31536000, immutable",
                    .contentSecurityPolicy: "default-src 'none'; sandbox; frame-ancestors 'none'",
                ],
                body: ResponseBody(byteBuffer: ByteBuffer(bytes: image.bytes))
            )
            response.headers[.eTag] = "\"\(digest)\""
            return response
        }
    }
}
