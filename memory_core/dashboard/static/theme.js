// Runs before the page is drawn, so that a chosen theme does not flash.
"use strict";
document.documentElement.dataset.theme = localStorage.getItem("theme") ?? "";
