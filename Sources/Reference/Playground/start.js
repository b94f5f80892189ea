// Starts the playground where a service serves this page. A page from a disk may not load modules, and keeps its text.
"use strict";

if (location.protocol.startsWith("http")) import("./page.js");
