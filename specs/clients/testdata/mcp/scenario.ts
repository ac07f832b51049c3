// The scenario of a language model's program, with the official client of the Model Context
// Protocol: a whole job by tools, over HTTP and over the standard streams of watchpost mcp.
import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { type Block, call, check, connect, draftsOf, key, url, type Way } from "./client.js";

declare const process: { exit(code: number): void };

// drafts has a rule draft comments on the posts that another keyword adds, agrees to one and
// rejects one.
async function drafts(client: Client, way: Way, watchlist: string): Promise<void> {
  const rule = await call(client, "set_rule", { watchlist_id: watchlist, action: "comment", comment_templates: ["Thank you, {first_name}."], approval: true });
  check(rule.created === true && rule.approval === true, "rule", rule);
  const more = { append: true, keywords: [way === "http" ? "launch" : "energy"], objective: "people to talk to", scan_now: true };
  const changed = await call(client, "change_watchlist", { id: watchlist, type: "keyword", ...more });
  check(changed.updated === true && changed.scans_per_day > 0, "change", changed);
  const shown = await call(client, "list_watchlists", { id: watchlist, type: "keyword" });
  check(shown.objective === more.objective && shown.keywords.length === 2, "changed watchlist", shown);
  const [first, second] = await draftsOf(client, rule.id);
  check(first !== undefined && second !== undefined, "two drafts", first);
  check(first.content_of_others.comment_text.startsWith("Thank you, "), "draft", first);
  const words = "Thank you. What did you try first?";
  const approved = await call(client, "decide_draft", { id: first.id, approve: true, comment_text: words });
  check(["queued", "running"].includes(approved.state) && approved.content_of_others.comment_text === words, "approved draft", approved);
  const rejected = await call(client, "decide_draft", { id: second.id, approve: false });
  check(rejected.state === "rejected", "rejected draft", rejected);
  const waiting = (await draftsOf(client, rule.id)).map((d) => d.id);
  check(!waiting.includes(first.id) && !waiting.includes(second.id), "decided drafts", waiting);
  const gone = await call(client, "set_rule", { id: rule.id, delete: true });
  check(gone.deleted === true, "deleted rule", gone);
}

// figures asks what the posts of a watchlist show, and whether the accounts can do more.
async function figures(client: Client, watchlist: string): Promise<void> {
  const trends = await call(client, "get_trends", { by: "watchlist", watchlist_id: [watchlist] });
  check(trends.intervals.length > 0 && trends.groups.length === 1 && trends.groups[0].name === watchlist && trends.groups[0].count > 0, "trends", trends);
  const forecast = await call(client, "get_forecast", { add: ["agent_profile_fetch:300"] });
  const fetches = forecast.find((a: any) => a.action === "profile_fetch");
  check(fetches?.added === 300 && Date.parse(fetches.done_at) > Date.now(), "forecast", forecast);
}

// contact writes to a connection of a member, invites a stranger and withdraws that. It
// returns the tasks.
async function contact(client: Client, way: Way, member: string): Promise<string[]> {
  const as = { user_email: member, wait: 120 };
  const known = await call(client, "search_people", { ...as, connections: true, count: 5 });
  const friend = known.content_of_others.connections[0];
  check(friend?.profile_urn !== undefined, "connections", known);
  const found = await call(client, "search_people", { ...as, keywords: way === "http" ? "engineer" : "manager", count: 20 });
  const stranger = found.content_of_others.profiles.find((p: any) => p.degree > 1);
  check(stranger !== undefined, "strangers", found);
  const done = [
    await call(client, "send_message", { ...as, recipient_urn: friend.profile_urn, message: "Hello over " + way }),
    await call(client, "invite_person", { ...as, profile_urn: stranger.profile_urn, note: "Hello over " + way }),
    await call(client, "invite_person", { ...as, profile_urn: stranger.profile_urn, withdraw: true }),
  ];
  check(done.map((t) => t.task_type + " " + t.status).join() === "agent_send_message completed,agent_send_connection_request completed,agent_withdraw_invitation completed", "contact", done);
  return done.map((t) => t.task_id);
}

// job follows a subject, waits for posts, answers the lead who wrote one, has a rule draft
// more, writes to people, and finds that in the journal.
async function job(client: Client, way: Way): Promise<void> {
  const heard: string[] = [];
  const keywords = [{ keyword: way === "http" ? "hiring" : "AI" }];
  const tried = await call(client, "preview_watchlist", { keywords });
  check(tried.keywords.length === 1 && tried.scans_per_day > 0, "preview", tried);
  const made = await call(client, "create_watchlist", { type: "keyword", name: "Models, " + way, keywords });
  const posts = await call(client, "wait_for_posts", { watchlist_id: [made.id], wait: 180 }, heard);
  check(posts.length > 0, "posts", posts);
  check(heard.includes("waiting for posts"), "progress", heard);
  const coverage = await call(client, "get_coverage", { watchlist_id: [made.id] });
  check(coverage.length === 1 && coverage[0].posts.found > 0 && coverage[0].complete === false, "coverage", coverage);
  const leads = await call(client, "list_leads", { watchlist_id: [made.id], contacted: false });
  check(leads.length > 0 && leads[0].posts > 0, "leads", leads);
  const post = await call(client, "get_post", { post: leads[0].last_post_id });
  check(post.content_of_others.text !== "", "post", post);
  const team = await call(client, "get_team", {});
  const member = team.members.find((m: any) => m.browser === "connected");
  check(member !== undefined, "a member with a browser", team);
  const acting = { post_id: post.id, user_email: member.user_email, wait: 120 };
  const liked = await call(client, "like_post", acting, heard);
  check(liked.status === "completed", "like", liked);
  const text = "Thank you, " + post.content_of_others.author + ". What did you try first?";
  const commented = await call(client, "comment_on_post", { ...acting, comment_text: text });
  check(commented.status === "completed", "comment", commented);
  check(heard.includes("waiting for the task"), "progress of a task", heard);
  await drafts(client, way, made.id);
  await figures(client, made.id);
  const contacted = await contact(client, way, member.user_email);
  const journal = await call(client, "get_journal", { status: "completed", asked_by: "key", page_size: 50 });
  for (const id of [liked.task_id, commented.task_id, ...contacted]) check(journal.some((e: any) => e.task_id === id), "journal", [id, journal]);
  const tasks = await call(client, "list_tasks", { task_type: ["agent_like_post"], page_size: 50 });
  check(tasks.some((t: any) => t.task_id === liked.task_id), "tasks", tasks);
  const cancelled = await client.callTool({ name: "cancel_task", arguments: { task_id: liked.task_id } });
  check(cancelled.isError === true && (cancelled.content as Block[])[0]!.text.includes("next"), "a like that was done stays", cancelled);
  await call(client, "delete_watchlist", { id: made.id, type: "keyword" });
}

// cancel ends a call that waits; the connection goes on.
async function cancel(client: Client): Promise<void> {
  const stop = new AbortController();
  const waiting = client.callTool(
    { name: "wait_for_posts", arguments: { stored_since: "2999-01-01T00:00:00Z", wait: 300 } },
    undefined,
    { signal: stop.signal, timeout: 310_000, onprogress: () => stop.abort() },
  );
  const outcome = await waiting.then(() => "answered", () => "cancelled");
  check(outcome === "cancelled", "cancellation", outcome);
  await call(client, "list_watchlists", {});
}

// reading connects with a key that may read only.
async function reading(way: Way): Promise<number> {
  const reply = await fetch(url + "/api-keys", {
    method: "POST",
    headers: { "x-api-key": key, "content-type": "application/json" },
    body: JSON.stringify({ name: "Reader over " + way, scopes: ["read"] }),
  });
  const made = await reply.json() as { key: string };
  check(reply.status === 201, "key", made);
  const client = await connect(way, made.key);
  const { tools } = await client.listTools();
  for (const tool of tools) check(tool.annotations?.readOnlyHint === true, "a key that reads sees tools that read", tool);
  check(tools.some((t) => t.name === "search_posts") && !tools.some((t) => t.name === "like_post"), "tools of a reader", tools);
  const found = await call(client, "search_posts", { page_size: 2 });
  check(found.length > 0, "search", found);
  const refused = await client.callTool({ name: "like_post", arguments: { post_id: found[0].id, user_email: "a@example.com" } }).then((r) => r.isError === true, () => true);
  check(refused, "a reader cannot like", refused);
  await client.close();
  return tools.length;
}

try {
  const said: string[] = [];
  for (const way of ["http", "stdio"] as const) {
    const client = await connect(way, key);
    const { tools } = await client.listTools();
    check(tools.every((t) => t.description !== "" && t.annotations?.title !== undefined), "tools", tools);
    await job(client, way);
    await cancel(client);
    await client.close();
    said.push(way + ": " + tools.length + " tools, " + (await reading(way)) + " that read");
  }
  console.log(said.join("; "));
} catch (error) {
  console.error(error);
  process.exit(1); // connections are open
}
