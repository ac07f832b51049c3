// The page of a pairing link hands the link to the extension of this browser, which asks
// its member in a tab of its own.
"use strict";
(() => {
  const page = document.querySelector("#pairing");
  const show = (state) => {
    for (const part of page.querySelectorAll("[data-when]")) part.hidden = !part.dataset.when.split(" ").includes(state);
  };
  const code = location.hash.slice(1);
  if (!/^[0-9a-z]{8,32}$/i.test(code)) return show("none");

  const link = page.querySelector("#link");
  link.textContent = location.href;
  page.querySelector("#copy").addEventListener("click", (e) => {
    navigator.clipboard?.writeText(link.textContent).then(() => { const button = e.target.closest("button"); button.lastChild.textContent = button.dataset.copied; });
  });

  // Firefox opens links of this scheme with the extension, and asks first.
  if (navigator.userAgent.includes("Firefox/")) {
    page.querySelector("#open").href = "ext+watchpost:" + location.href;
    return show("firefox");
  }
  // Chromium has this where an extension listens to the page.
  for (const id of page.dataset.extensions.split(" ").filter(Boolean)) {
    globalThis.chrome?.runtime?.sendMessage?.(id, { type: "pair", code }, (answer) => {
      if (chrome.runtime.lastError || answer?.asked !== true) return;
      history.replaceState(null, "", location.pathname); // the code is handed over
      show("asked");
    });
  }
})();
