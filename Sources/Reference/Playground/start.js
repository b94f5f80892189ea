// Starts the playground if a service serves this page. A page from a disk can't load modules, and keeps its text.
"use strict";

if (location.protocol.startsWith("http")) import("./page.js");
