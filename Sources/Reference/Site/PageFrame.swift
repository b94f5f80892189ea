/// A page with its head, navigation and search, as HTML that is also XML.
struct PageFrame {
    let book: ReferenceBook
    let page: ReferencePage
    let blocks: [Block]

    /// The whole document.
    var html: String {
        """
        <!DOCTYPE html>
        <html lang="en" xmlns="http://www.w3.org/1999/xhtml">
        <head>
        <meta charset="utf-8"/>
        <meta name="viewport" content="width=device-width, initial-scale=1"/>
        <meta name="color-scheme" content="light dark"/>
        <title>\(Inline.escape(page.title)) – Lamplighter</title>
        <link rel="icon" href="icon.svg" type="image/svg+xml"/>
        <link rel="stylesheet" href="style.css"/>
        \(playground)<script src="search-index.js" defer="defer"></script>
        <script src="search.js" defer="defer"></script>
        </head>
        <body>
        <a class="skip" href="#content">To the text</a>
        <header>
        <a class="name" href="index.html">Lamplighter <span>reference \(Inline.escape(book.version))</span></a>
        <form id="search" role="search" hidden="hidden"><input type="search" placeholder="Search  ( / )" \
        role="combobox" aria-label="Search" aria-expanded="false" aria-controls="results" aria-autocomplete="list" \
        autocomplete="off" spellcheck="false"/><div class="results"><p id="search-note" role="status"></p>\
        <div id="results" role="listbox" aria-label="Results" hidden="hidden"></div></div></form>
        </header>
        <div class="columns\(page.isPlayground ? " wide" : "")">
        <nav aria-label="Pages"><details open="open"><summary>Pages</summary>\(navigation)</details></nav>
        <main id="content">
        \(HTMLWriter.html(blocks))
        </main>
        \(contents)
        </div>
        </body>
        </html>

        """
    }

    private var playground: String {
        guard page.isPlayground else { return "" }
        return """
            <link rel="stylesheet" href="try/try.css"/>
            <script src="try/start.js" defer="defer"></script>

            """
    }

    private var navigation: String {
        ReferencePage.Group.allCases.map { group in
            let items = book.pages.filter { $0.group == group }.map { other in
                let here = other.name == page.name ? " aria-current=\"page\"" : ""
                return
                    "<li><a href=\"\(other.name).html\"\(here)>\(Inline.escape(other.title))</a></li>"
            }
            return "<p>\(group.rawValue)</p><ul>\(items.joined())</ul>"
        }.joined()
    }

    /// The page's list of sections, shown beside it if there's room.
    private var contents: String {
        if page.isPlayground { return "" }
        let items = blocks.compactMap { block -> String? in
            guard case .heading(2, let text, let anchor) = block else { return nil }
            return "<li><a href=\"#\(anchor)\">\(Inline.escape(Inline.words(text)))</a></li>"
        }
        guard items.count > 1 else { return "" }
        return
            "<aside aria-label=\"On this page\"><p>On this page</p><ul>\(items.joined())</ul></aside>"
    }
}
