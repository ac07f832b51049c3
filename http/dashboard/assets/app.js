// What the pages do beyond links and forms: news, keys, menus. Reading and acting
// work without it; htmx (joined in front) swaps parts of pages.
"use strict";
(() => {
  const one = (selector, from = document) => from.querySelector(selector);
  const all = (selector, from = document) => [...from.querySelectorAll(selector)];

  // ---- Times are in the zone of this browser from the next page on, with UTC in their titles.
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  if (!document.cookie.split("; ").includes("watchpost-zone=" + zone)) {
    document.cookie = `watchpost-zone=${zone}; path=/app; max-age=31536000; samesite=lax${location.protocol === "https:" ? "; secure" : ""}`;
  }

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
  // A part that takes a whole page on the server (data-live-slow) asks every two seconds
  // at most.
  const slow = new Map();
  function ask() {
    for (const part of due) {
      const now = performance.now();
      const wait = part.isConnected && part.dataset.liveSlow !== undefined ? (slow.get(part.id) ?? -2000) + 2000 - now : 0;
      if (wait > 0) {
        setTimeout(ask, wait);
        continue;
      }
      due.delete(part);
      if (!part.isConnected) continue;
      slow.set(part.id, now);
      if (part.dataset.liveId) asked.set(part.dataset.liveId, now);
      htmx.trigger(part, "live");
    }
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
      time.textContent = now.toLocaleTimeString(document.documentElement.lang, { hourCycle: "h23", hour: "2-digit", minute: "2-digit" });
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
  const posts = () => all(".posts > .post, .proposal, .people th a");
  const current = () => one(".post.current") ?? document.activeElement?.closest?.(".post, .proposal, .people th a");
  const keysOn = () => localStorage.getItem("watchpost-keys") !== "off";
  function choose(post) {
    one(".post.current")?.classList.remove("current");
    if (post?.matches(".post")) post.classList.add("current");
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
  // What a decision about a post is followed by: the next post. The post stays where it is,
  // so that nothing moves under the eyes.
  function decided(act) {
    if (!one(`[data-act="${act}"]`, current() ?? document.createElement("i"))) return;
    press(`[data-act="${act}"]`);
    if (act !== "unread") move(1);
  }
  // Posts that are selected: then a key does it to all of them.
  const selected = () => all("input[name=chosen][form=bulk]:checked");
  function several(key) {
    if (!selected().length) return false;
    one(`#bulk [data-key=${key}]`)?.click();
    return true;
  }
  function select() {
    const box = current() && one(".pick input", current());
    if (box) box.checked = !box.checked;
    countSelected();
  }
  function countSelected() {
    const n = selected().length, words = one("#selected");
    if (words) words.textContent = n ? words.dataset.some.replace("#", n) : words.dataset.none;
  }
  function unselect() {
    const boxes = selected();
    for (const box of boxes) box.checked = false;
    countSelected();
    return boxes.length > 0;
  }
  function team() {
    const menu = current() && one(".team", current());
    if (!menu) return;
    menu.open = true;
    one("select", menu).focus();
  }
  const actions = {
    e: () => several("e") || decided("done"), u: () => several("u") || decided("unread"), h: () => several("h") || decided("later"), t: team, x: select,
    j: () => move(1), k: () => move(-1), c: comment, n: () => one("#fresh .button")?.click(),
    l: () => press('[data-act="like"]'), s: () => several("s") || press('[data-act="save"]'), o: () => press('[data-act="open"]'),
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
      if (e.target.matches(".pick input")) unselect();
    } else unselect();
  }
  document.addEventListener("focusin", (e) => {
    const post = e.target.closest(".posts > .post");
    if (post) choose(post);
  });
  document.addEventListener("click", (e) => {
    for (const m of all(".menu[open]")) if (!m.contains(e.target)) m.open = false;
    const copy = e.target.closest("[data-copy]");
    if (copy) navigator.clipboard?.writeText(one(copy.dataset.copy).textContent).then(() => { copy.lastChild.textContent = copy.dataset.copied; });
    if (e.target.closest("[data-choose]")) {
      e.preventDefault();
      const boxes = all("input[name=chosen]");
      const some = boxes.some((box) => !box.checked);
      for (const box of boxes) box.checked = some;
      countSelected();
    }
    if (e.target.closest("[data-unselect]") && unselect()) e.preventDefault();
    if (e.target.closest("[data-close]")) e.target.closest("details").open = false;
  });
  document.addEventListener("change", (e) => {
    if (e.target.id === "keys-on") localStorage.setItem("watchpost-keys", e.target.checked ? "on" : "off");
    if (e.target.matches("[data-submit]")) e.target.form.requestSubmit();
    if (e.target.name === "chosen") countSelected();
  });
  // A search narrows the choices of a menu; the form has the same search without script.
  function narrow(field) {
    const words = field.value.trim().toLowerCase();
    let shown = 0;
    for (const group of one(field.dataset.narrow).children) {
      const rows = all(".choice", group);
      for (const row of rows) row.hidden = !row.textContent.toLowerCase().includes(words);
      const left = rows.filter((row) => !row.hidden).length;
      if (rows.length) group.hidden = !left;
      shown += left;
    }
    one(field.dataset.none).hidden = shown > 0;
  }
  document.addEventListener("keydown", (e) => {
    if (e.key === "Enter" && e.target.matches("[data-narrow]")) e.preventDefault();
  });
  document.addEventListener("input", (e) => {
    if (e.target.matches("[data-narrow]")) narrow(e.target);
    const count = e.target.dataset.count && one(e.target.dataset.count);
    if (count) count.textContent = e.target.value.length.toLocaleString(document.documentElement.lang);
    const form = e.target.closest(".posts .composer");
    if (form) typing(form);
  });

  // ---- Others of the team see who is replying: told at most once a minute, and when the
  // field is closed. The service ends it by itself.
  const told = new Map(); // times by the form's address
  function typing(form) {
    const to = form.getAttribute("action");
    if (performance.now() - (told.get(to) ?? -60000) < 60000) return;
    told.set(to, performance.now());
    reply(form, {});
  }
  function reply(form, more) {
    const body = new URLSearchParams({ token: form.elements.token.value, ...more });
    fetch(form.getAttribute("action").replace(/comment$/, "replying"), { method: "POST", body, keepalive: true }).catch(() => {});
  }
  document.addEventListener("toggle", (e) => {
    const form = e.target.matches(".posts .write:not([open])") && one(".composer", e.target);
    if (form && told.delete(form.getAttribute("action"))) reply(form, { ended: "1" });
  }, true);

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

  // ---- What failed is said in one bar; forms keep what is typed in them.
  let failing; // the element that asked
  function fail(why, from, status) {
    const bar = one("#failed");
    for (const text of all("[data-why]", bar)) text.hidden = text.dataset.why !== why;
    one("[data-status]", bar).textContent = status ?? "";
    one("[data-again]", bar).hidden = why !== "offline" && why !== "foreign";
    failing = from;
    bar.hidden = false;
    waitNoMore(from);
  }
  // waitNoMore takes back that a draft is being written.
  function waitNoMore(form) {
    const state = form && one("[data-drafting]", form);
    if (state?.textContent === state?.dataset.drafting) state?.replaceChildren();
  }
  // A part that asks for itself again after news says nothing: "Not live" is shown then.
  const quiet = (ctx) => ctx.sourceElement.dataset.live !== undefined && ctx.request.method === "GET";
  document.addEventListener("htmx:before:response", (e) => {
    const { ctx } = e.detail;
    waitNoMore(ctx.sourceElement);
    const own = ctx.response.raw.headers.has("Watchpost-Page");
    if (own && ctx.response.status === 401) {
      e.preventDefault();
      for (const form of all(".composer")) if (one("textarea", form)?.value) keep(form, true);
      if (ctx.sourceElement.matches("form")) keep(ctx.sourceElement, true);
      fail("signed-out", ctx.sourceElement);
    } else if (!own) {
      e.preventDefault();
      if (!quiet(ctx)) fail("foreign", ctx.sourceElement, ctx.response.status);
    } else if (failing === ctx.sourceElement) {
      one("#failed").hidden = true;
    }
  });
  // What the reader asked for was refused: the answer says why. That to a form is shown
  // next to it.
  document.addEventListener("htmx:response:error", (e) => {
    const { ctx } = e.detail;
    if (ctx.request.method !== "GET" || quiet(ctx) || !ctx.response.raw.headers.has("Watchpost-Page")) return;
    fail("refused", ctx.sourceElement);
    one("#failed [data-text]").textContent = one("#refused", new DOMParser().parseFromString(ctx.text, "text/html"))?.textContent ?? "";
  });
  document.addEventListener("htmx:error", (e) => {
    if (e.detail.ctx && !quiet(e.detail.ctx)) fail("offline", e.detail.ctx.sourceElement);
  });
  document.addEventListener("submit", (e) => {
    const form = e.target;
    if (form.getAttribute("method") !== "post" || form.hasAttribute("hx-post")) return;
    if (!navigator.onLine) {
      e.preventDefault();
      return fail("offline", form);
    }
    keep(form, false);
  });
  document.addEventListener("click", (e) => {
    if (e.target.closest("[data-dismiss]")) one("#failed").hidden = true;
    if (!e.target.closest("[data-again]")) return;
    one("#failed").hidden = true;
    if (!failing?.isConnected) location.reload();
    else if (failing.matches("form")) failing.requestSubmit();
    else failing.click();
  });
  // keep notes what is typed in a form, for after a sign-in: lost says that it was not
  // sent; otherwise the next page tells.
  const typed = (form) => all("textarea, select, input:not([type=hidden], [type=password], [type=file])", form).filter((f) => f.name);
  function keep(form, lost) {
    const fields = typed(form).map((f) => [f.name, f.matches("[type=checkbox], [type=radio]") ? f.checked : f.value]);
    if (!fields.length) return;
    sessionStorage.setItem("watchpost-typed", JSON.stringify({ lost, page: location.pathname + location.search, action: form.getAttribute("action"), fields }));
  }
  function giveBack() {
    const kept = JSON.parse(sessionStorage.getItem("watchpost-typed") ?? "null");
    if (!kept) return;
    if (!kept.lost && !document.referrer.startsWith(location.origin + "/app/sign-in")) return sessionStorage.removeItem("watchpost-typed");
    const form = one(`form[method=post][action="${CSS.escape(kept.action)}"]:has(textarea, select, input:not([type=hidden]))`);
    if (!form || location.pathname + location.search !== kept.page && !kept.action.startsWith("/app/posts/")) {
      sessionStorage.setItem("watchpost-typed", JSON.stringify({ ...kept, lost: true }));
      const post = kept.action.match(/^\/app\/posts\/[^/]+/);
      one("#failed [data-back]").href = post ? post[0] : kept.page;
      return fail("kept");
    }
    typed(form).forEach((f, i) => {
      const [name, value] = kept.fields[i] ?? [];
      if (f.name !== name) return;
      if (typeof value === "boolean") f.checked = value;
      else f.value = value;
      f.dispatchEvent(new Event("input", { bubbles: true }));
    });
    form.closest("details")?.setAttribute("open", "");
    sessionStorage.removeItem("watchpost-typed");
    fail("back");
  }

  // ---- Menus stay inside the window, next to the navigation
  function inside(menu) {
    const body = one(".menu-body", menu);
    body.style.translate = "";
    const box = body.getBoundingClientRect();
    const left = one("#main").getBoundingClientRect().left + 8;
    const shift = Math.max(Math.min(0, innerWidth - 8 - box.right), left - box.left);
    if (box.width < innerWidth - left) body.style.translate = `${shift < 0 || box.left < left ? shift : 0}px`;
  }
  document.addEventListener("toggle", (e) => { if (e.target.matches(".menu[open]")) inside(e.target); }, true);
  addEventListener("resize", () => all(".menu[open]").forEach(inside));

  // ---- After a swap: the focus stays, or goes to what came. After a comment was sent, or
  // a button of triage pressed, it goes to its post.
  let wrote;
  document.addEventListener("submit", (e) => {
    const drafting = e.submitter?.name === "draft";
    const pressed = e.target.closest(".triage")?.contains(document.activeElement);
    if (drafting) one("[data-drafting]", e.target).textContent = one("[data-drafting]", e.target).dataset.drafting;
    else if (e.target.matches(".composer") || pressed) wrote = e.target.closest(".post")?.id;
  });
  // The way back is shown for ten seconds, and for longer while the pointer or the focus is
  // on it, unless the service ends it.
  let undoTimer;
  function waitForUndo() {
    const toast = one("#undo .toast:not([data-waits])");
    if (!toast) return;
    toast.dataset.waits = "";
    clearTimeout(undoTimer);
    undoTimer = setTimeout(endUndo, 10000);
  }
  function endUndo() {
    const toast = one("#undo .toast");
    if (toast?.matches(":is(:hover, :focus-within):not([data-ends])")) undoTimer = setTimeout(endUndo, 10000);
    else toast?.remove();
  }
  document.addEventListener("htmx:after:swap", () => {
    catchUp();
    waitForUndo();
    countSelected();
    const post = wrote && document.getElementById(wrote);
    if (post && !one(".write[open]", post)) {
      wrote = undefined;
      choose(post);
      post.focus();
    }
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
    for (const row of all("input[name=chosen]")) row.checked = row.defaultChecked; // then a swap leaves it as it is
    countSelected();
    waitForUndo();
    one("[role=alert][tabindex]")?.focus();
    if (one("#failed")) giveBack();
    connect();
  });
})();
