package import Reference
import Web

/// The reference of this program, as files.
package enum ReferenceDocuments {
    /// The files; made when they are asked for first, which takes about 0.1 s.
    package static let site = ReferenceSite(ReferenceBook(.ofProgram))

    /// The files for the listener of the pages.
    static var documents: Documents {
        Documents { path in
            site.files[path].map { (ReferenceSite.mediaType(of: path), $0) }
        }
    }
}
