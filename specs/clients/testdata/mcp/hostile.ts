// Posts and profiles whose authors address the model that reads them. Every tool that shows
// them keeps what they wrote under content_of_others, all that can be seen of it, in the
// block that is marked.
import { call, check, connect, type Fields, key, url } from "./client.js";

declare const process: { env: Record<string, string | undefined>; exitCode: number };

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

try {
  const stored = await (await fetch(url + "/api-posts?page_size=50", { headers: { "x-api-key": key } })).json() as { data: { content: string }[] };
  check(stored.data.length > 0, "posts", stored);
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
    await client.close();
  }
  console.log("kept apart");
} catch (error) {
  console.error(error);
  process.exitCode = 1;
}
