// What the pages do beyond links and forms: news, keys, menus. Reading and acting
// work without it; htmx (joined in front) swaps parts of pages.
"use strict";
(() => {
  const one = (selector, from = document) => from.querySelector(selector);
  const all = (selector, from = document) => [...from.querySelectorAll(selector)];

  // ---- News: the stream says what changed, and each part that shows it asks for
  // itself again (data-live="topics", data-live-id="id of a task").
  let stream, hiddenTimer, retryTimer;
  const due = new Set();
  const heard = new Map(), asked = new Map(); // times of news and of requests, by the task
  function refresh(topic, id) {
    if (heard.size > 1000) heard.clear();
    if (id) heard.set(id, performance.now());
    for (const part of all("[data-live]")) {
      if (topic !== "all" && !part.dataset.live.split(" ").includes(topic)) continue;
      if (id && part.dataset.liveId && part.dataset.liveId !== id) continue;
      due.add(part);
    }
    if (due.size) setTimeout(ask, 150);
  }
  function ask() {
    for (const part of due) {
      if (!part.isConnected) continue;
      if (part.dataset.liveId) asked.set(part.dataset.liveId, performance.now());
      htmx.trigger(part, "live");
    }
    due.clear();
  }
  // News of a task that came while its part was on its way found no part, or the
  // one before.
  function catchUp() {
    for (const part of all("[data-live-id]")) {
      const id = part.dataset.liveId;
      if ((heard.get(id) ?? 0) > (asked.get(id) ?? 0)) due.add(part);
    }
    if (due.size) setTimeout(ask, 150);
  }
  function shown(live) {
    const state = one("#live");
    state.hidden = false;
    for (const word of all("[data-when]", state)) word.hidden = (word.dataset.when === "live") !== live;
    const lost = one("#lost");
    if (!live && lost.hidden) {
      const now = new Date();
      const time = one("#lost-since");
      time.dateTime = now.toISOString();
      time.textContent = now.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
    }
    lost.hidden = live;
  }
  function connect() {
    clearTimeout(retryTimer);
    if (stream || !one("#live")) return;
    stream = new EventSource("/app/events");
    stream.onopen = () => shown(true);
    stream.addEventListener("change", (e) => {
      const change = JSON.parse(e.data);
      refresh(change.topic, change.id);
    });
    stream.onerror = () => {
      if (stream.readyState !== EventSource.CLOSED) return void (retryTimer = setTimeout(() => shown(false), 5000));
      shown(false);
      disconnect();
      retryTimer = setTimeout(connect, 10000);
    };
    stream.addEventListener("open", () => clearTimeout(retryTimer));
  }
  function disconnect() {
    stream?.close();
    stream = undefined;
  }
  document.addEventListener("visibilitychange", () => {
    clearTimeout(hiddenTimer);
    if (document.hidden) hiddenTimer = setTimeout(disconnect, 60000);
    else connect();
  });
  addEventListener("pagehide", disconnect);
  addEventListener("pageshow", (e) => { if (e.persisted) connect(); });

  // ---- Keys
  const posts = () => all(".posts > .post, .proposal");
  const current = () => one(".post.current") ?? document.activeElement?.closest?.(".post");
  const keysOn = () => localStorage.getItem("watchpost-keys") !== "off";
  function choose(post) {
    one(".post.current")?.classList.remove("current");
    post?.classList.add("current");
  }
  function move(step) {
    const list = posts();
    const at = list.indexOf(current());
    const next = list[Math.min(list.length - 1, Math.max(0, at + step))];
    choose(next);
    next?.focus();
  }
  const press = (selector) => one(selector, current() ?? document.createElement("i"))?.click();
  function comment() {
    const box = current() && one(".write", current());
    if (!box) return;
    box.open = true;
    one("textarea", box).focus();
  }
  const actions = {
    j: () => move(1), k: () => move(-1), c: comment, n: () => one("#fresh .button")?.click(),
    l: () => press('[data-act="like"]'), s: () => press('[data-act="save"]'), o: () => press('[data-act="open"]'),
    "/": () => one("#q")?.focus(), "?": () => one("#keys")?.showModal(),
    a: () => decide('[data-act="approve"]'), r: () => decide('[data-act="reject"]'),
  };
  const decide = (selector) => one(selector, document.activeElement?.closest?.(".proposal") ?? document.createElement("i"))?.click();
  let going = 0;
  document.addEventListener("keydown", (e) => {
    if (e.key === "Escape") return escape(e);
    if (e.key === "Enter" && e.ctrlKey) return e.target.closest(".composer")?.requestSubmit();
    if (e.target.closest("input:not([type=checkbox], [type=radio]), textarea, select, dialog") || e.ctrlKey || e.metaKey || e.altKey) return;
    if (e.key !== "?" && !keysOn()) return;
    if (Date.now() - going < 1500) {
      going = 0;
      const link = one(`.nav [data-key="${CSS.escape(e.key)}"]`);
      if (link) return void (e.preventDefault(), link.click());
    }
    if (e.key === "g") return void (going = Date.now());
    if (actions[e.key]) {
      e.preventDefault();
      actions[e.key]();
    }
  });
  function escape(e) {
    const open = one(".menu[open], .write[open]");
    if (open) {
      open.open = false;
      one("summary", open).focus();
    } else if (e.target.closest("input, textarea, select")) {
      e.target.blur();
    }
  }
  document.addEventListener("focusin", (e) => {
    const post = e.target.closest(".posts > .post");
    if (post) choose(post);
  });
  document.addEventListener("click", (e) => {
    for (const m of all(".menu[open]")) if (!m.contains(e.target)) m.open = false;
    const copy = e.target.closest("[data-copy]");
    if (copy) navigator.clipboard?.writeText(one(copy.dataset.copy).textContent).then(() => { copy.lastChild.textContent = "Copied"; });
    if (e.target.closest("[data-close]")) e.target.closest("details").open = false;
  });
  document.addEventListener("change", (e) => {
    if (e.target.id === "keys-on") localStorage.setItem("watchpost-keys", e.target.checked ? "on" : "off");
    if (e.target.matches("[data-submit]")) e.target.form.requestSubmit();
  });
  document.addEventListener("input", (e) => {
    const count = e.target.dataset.count && one(e.target.dataset.count);
    if (count) count.textContent = e.target.value.length.toLocaleString("en");
  });

  // ---- No part is swapped while a button is held: a press and a release on two elements
  // are no click. The click follows the release at once.
  let held, release;
  const swap = htmx.swap;
  htmx.swap = async function (ctx) {
    await held;
    return swap.call(this, ctx);
  };
  addEventListener("pointerdown", (e) => {
    if (e.button === 0 && e.target.closest("a, button, summary, label")) held ??= new Promise((done) => { release = done; });
  });
  for (const end of ["pointerup", "pointercancel", "blur"]) addEventListener(end, () => setTimeout(() => {
    release?.();
    held = release = undefined;
  }));

  // ---- After a swap: the focus stays, or goes to what came
  document.addEventListener("htmx:after:swap", () => {
    catchUp();
    const news = one("[data-focus]");
    if (news) {
      news.removeAttribute("data-focus");
      choose(news.matches(".post") ? news : undefined);
      news.focus();
    }
  });

  document.addEventListener("DOMContentLoaded", () => {
    const box = one("#keys-on");
    if (box) box.checked = keysOn();
    one("[role=alert][tabindex]")?.focus();
    connect();
  });
})();
