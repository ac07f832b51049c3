// Changes that are waited for, posts that are selected, and exports.
import { check, client, until } from "./client.js";

// follow has a watchlist scanned now, and waits for the change of it.
export async function follow(id: string): Promise<void> {
  const first = await scanned(id, 0);
  const now = await client.GET("/api-changes");
  check(now.data !== undefined && now.data.changes.length === 0, "the cursor of now", now);
  const waiting = client.GET("/api-changes", { params: { query: { cursor: now.data.cursor, wait: 20, types: ["watchlist"], watchlist_id: [id] } } });
  await new Promise((resolve) => setTimeout(resolve, 500)); // the request waits
  const scan = await client.PUT("/api-keyword-watchlist", { body: { id, objective: "people to hire", scan_now: true } });
  check(scan.data?.updated === true, "scan now", scan);
  const changes = await waiting;
  check(changes.data?.changes[0]?.action === "changed" && changes.data.changes[0].id === id, "the change that was waited for", changes);
  await scanned(id, first);
}

// scanned waits for a scan of a watchlist after a moment, and returns when it was. Until all
// keywords were scanned, the next scan is due.
function scanned(id: string, after: number): Promise<number> {
  return until("a scan", async () => {
    const { data, error } = await client.GET("/api-keyword-watchlist", { params: { query: { id } } });
    check(data !== undefined && "last_scan_at" in data, "watchlist", error);
    const last = Date.parse(data.last_scan_at ?? ""), next = Date.parse(data.next_scan_at ?? "");
    return last > after && next > Date.now() + 3_600_000 ? last : undefined;
  });
}

// exports selects one post by its id, with a part of its fields, and exports it, its author,
// and what the team did to posts.
export async function exports(watchlist: string): Promise<void> {
  const newest = await client.GET("/api-posts", { params: { query: { page_size: 1 } } });
  const post = newest.data?.data[0];
  check(post !== undefined, "the newest post", newest);
  const id = [post.id], lines = { format: "jsonl", id } as const;
  const short = await client.GET("/api-posts", { params: { query: { id, stored_since: post.created_at, fields: ["id", "content"] } } });
  check(JSON.stringify(short.data?.data) === JSON.stringify([{ id: post.id, content: post.content }]), "fields of a post by its id", short);
  const none = await client.GET("/api-posts", { params: { query: { id, stored_since: "2999-01-01T00:00:00Z" } } });
  check(none.data?.count === 0, "posts of the year 2999", none);
  const posts = await client.GET("/api-posts/export", { params: { query: lines }, parseAs: "text" });
  check(typeof posts.data === "string" && JSON.parse(posts.data).content === post.content, "export of posts", posts);
  const leads = await client.GET("/api-leads/export", { params: { query: lines }, parseAs: "text" });
  check(typeof leads.data === "string" && JSON.parse(leads.data).author_url === post.author_url, "export of leads", leads);
  const acts = await client.GET("/api-interactions/export", { params: { query: { format: "csv", watchlist_id: watchlist } }, parseAs: "text" });
  check(typeof acts.data === "string" && acts.data.split("\n")[0]!.split(",").includes("interaction_type"), "export of interactions", acts);
}
