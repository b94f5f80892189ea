// Starts the playground if a service serves this page. A page that is opened as a local file can't load modules, so it
// shows only its text.
"use strict";

if (location.protocol.startsWith("http")) import("./page.js");
