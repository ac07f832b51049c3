// Posts and profiles whose authors address the model that reads them. Every tool that shows
// them keeps what they wrote under content_of_others, all that can be seen of it, in the
// block that is marked.
import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { call, check, connect, draftsOf, type Fields, key, url } from "./client.js";

declare const process: { env: Record<string, string | undefined>; exit(code: number): void };

// The word that every hostile text has.
const sign = process.env.HOSTILE_SIGN ?? "";

// Characters that a person does not see, and that turn the direction of a text.
const hidden = /[\u200b\u202a-\u202e]/;

// places returns the keys that lead to each text with the sign.
function places(value: unknown, path: string[]): string[][] {
  if (typeof value === "string") return value.toUpperCase().includes(sign) ? [path] : [];
  if (value === null || typeof value !== "object") return [];
  return Object.entries(value as Fields).flatMap(([name, member]) => [
    ...(name.toUpperCase().includes(sign) ? [path] : []),
    ...places(member, [...path, name]),
  ]);
}

// shown checks that a reply has hostile texts, and where.
function shown(tool: string, reply: unknown): void {
  const found = places(reply, []);
  check(found.length > 0, tool + " shows them", reply);
  for (const path of found) check(path.includes("content_of_others"), tool + " keeps them apart", path);
}

// hides checks that a reply has none of them.
function hides(tool: string, reply: unknown): void {
  check(places(reply, []).length === 0, tool + " shows none", reply);
}

// makeRule has a rule draft comments on the hostile posts, which name their authors. The rule
// is made before its watchlist gets them: rules pass over what is older.
async function makeRule(client: Client): Promise<string> {
  const list = { type: "keyword", id: (await call(client, "create_watchlist", { type: "keyword", keywords: ["telemetry of the deep sea"] })).id };
  const rule = { watchlist_id: list.id, action: "comment", comment_templates: ["Thank you, {author_name}."], max_age_hours: 24, approval: true };
  const { id } = await call(client, "set_rule", rule);
  await call(client, "change_watchlist", { ...list, keywords: ["telemetry"], scan_now: true });
  return id;
}

// drafts rejects one of the rule's drafts.
async function drafts(client: Client, rule: string): Promise<void> {
  const proposed = await draftsOf(client, rule);
  shown("list_rules", proposed);
  const name = proposed[0].content_of_others.author;
  check(proposed[0].content_of_others.comment_text === "Thank you, " + name + ".", "draft", proposed[0]);
  const rejected = await call(client, "decide_draft", { id: proposed[0].id, approve: false });
  check(rejected.state === "rejected" && rejected.content_of_others.author === name, "rejected draft", rejected);
  hides("list_rules", await call(client, "list_rules", {}));
}

// failure looks a company up whose page says hostile things.
async function failure(client: Client): Promise<void> {
  const failed = await call(client, "look_up", { what: "company", of: [sign], wait: 60 });
  shown("look_up of a company", failed);
  const entry = (await call(client, "get_journal", {})).find((e: any) => e.task_id === failed.task_id);
  shown("get_journal", entry);
  for (const name of ["subject", "error_text"]) check(places(entry.content_of_others[name], []).length === 1, "journal", [name, entry]);
}

try {
  const stored = await (await fetch(url + "/api-posts?page_size=50", { headers: { "x-api-key": key } })).json() as { data: { content: string }[] };
  check(stored.data.length > 0, "posts", stored);
  let rule: string | undefined;
  for (const way of ["http", "stdio"] as const) {
    const client = await connect(way, key);
    const posts = await call(client, "search_posts", { page_size: 50 });
    shown("search_posts", posts);
    check(!hidden.test(JSON.stringify(posts)), "characters that nobody sees", posts);
    for (const content of stored.data.map((p) => p.content.replaceAll(new RegExp(hidden, "g"), ""))) check(posts.some((p: any) => p.content_of_others.text === content), "whole", [content, posts]);
    shown("get_post", await call(client, "get_post", { post: posts[0].id }));
    shown("list_leads", await call(client, "list_leads", {}));
    shown("preview_watchlist", await call(client, "preview_watchlist", { keywords: [{ keyword: "telemetry" }] }));
    shown("wait_for_posts", await call(client, "wait_for_posts", { wait: 1 }));
    const profile = await call(client, "look_up", { what: "profile", of: ["mallory"], wait: 60 });
    shown("look_up", profile);
    shown("get_task", await call(client, "get_task", { task_id: profile.task_id }));
    const trends = await call(client, "get_trends", { by: "keyword" });
    shown("get_trends", trends);
    check(trends.spikes.some((s: any) => places(s.content_of_others.new_words, []).length > 0), "new words", trends);
    const made = await call(client, "create_watchlist", { type: "keyword", prompt: "Posts about telemetry pipelines in Germany, not job ads" });
    check(made.keywords.length > 0, "entries of a prompt", made);
    hides("create_watchlist", made);
    await call(client, "delete_watchlist", { type: "keyword", id: made.id });
    rule ??= await makeRule(client); // once: no rule drafts for a post a second time
    await drafts(client, rule);
    await failure(client);
    await client.close();
  }
  console.log("kept apart");
} catch (error) {
  console.error(error);
  process.exit(1); // connections are open
}
