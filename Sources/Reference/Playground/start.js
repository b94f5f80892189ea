// Starts the playground if a service serves this page. A page opened as a local file can't load modules. Such a page
// shows only its text.
"use strict";

if (location.protocol.startsWith("http")) import("./page.js");
