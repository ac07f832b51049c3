"use strict";
// A filter for the list of operations, which is folded where the page is narrow,
// and buttons that copy; the page is whole without them.
(() => {
  const input = document.getElementById("filter");
  const found = document.getElementById("found");
  const items = [...document.querySelectorAll("nav li a")];
  const contents = document.querySelector(".contents");
  const narrow = matchMedia("(max-width: 60rem)");
  const fold = () => { contents.open = !narrow.matches; };
  fold();
  narrow.addEventListener("change", fold);
  contents.addEventListener("click", (event) => { if (event.target.closest("a")) fold(); });
  input.parentElement.hidden = false;
  // An address from when all was one page.
  if (location.pathname === "/docs" && location.hash) {
    const item = items.find((a) => a.hash === location.hash);
    if (item) location.replace(item.href);
  }
  input.addEventListener("input", () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const item of items) {
      const text = item.dataset.words.toLowerCase();
      item.hidden = !words.every((word) => text.includes(word));
      shown += item.hidden ? 0 : 1;
    }
    for (const list of document.querySelectorAll("nav ul")) {
      for (const path of list.children) path.hidden = !path.querySelector("a:not([hidden])");
      list.hidden = list.previousElementSibling.hidden = !list.querySelector("li:not([hidden])");
    }
    found.textContent = words.length ? shown + " of " + items.length + " operations" : "";
  });
  if (!navigator.clipboard) return;
  for (const block of document.querySelectorAll(".code")) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = "Copy";
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(block.querySelector("pre").textContent);
      button.textContent = "Copied";
      setTimeout(() => { button.textContent = "Copy"; }, 2000);
    });
    block.append(button);
  }
})();
