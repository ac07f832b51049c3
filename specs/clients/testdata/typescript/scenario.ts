// The scenario of the TypeScript client, which openapi-typescript has made of
// the API document: it lists and makes watchlists, fetches a profile and reads
// posts; follows and exports them (posts.ts); waits for tasks and takes them back
// (tasks.ts); makes keys and members (access.ts). What is not as the document says
// does not compile.
import { join, keys } from "./access.js";
import type { components } from "./api.js";
import { check, client, env } from "./client.js";
import { exports, follow } from "./posts.js";
import { tasks } from "./tasks.js";

async function list(): Promise<number> {
  const { data, error } = await client.GET("/api-keyword-watchlist");
  check(data !== undefined && "watchlists" in data, "list", error);
  check(data.count === data.watchlists.length, "count", data);
  return data.count;
}

// Keywords are texts or objects; without any the watchlist is refused.
async function create(): Promise<string> {
  const refused = await client.POST("/api-keyword-watchlist", { body: { keywords: [] } });
  check(refused.response.status === 400 && refused.error?.error !== "", "create without keywords", refused);
  const keywords: components["schemas"]["KeywordEntry"][] = ["launch", { keyword: "product", exclude_keywords: ["crypto"] }];
  const { data, error } = await client.POST("/api-keyword-watchlist", { body: { keywords, fetchFreqInHours: 24 } });
  check(data !== undefined && data.created && data.keywords.length === 2, "create", error);
  return data.id;
}

async function fetchProfile(slug: string): Promise<string> {
  const task = await client.POST("/network-agent/fetch-profile", { body: { profile_slug: slug } });
  check(task.data !== undefined, "fetch", task.error);
  for (let attempt = 0; attempt < 300; attempt++) {
    const { data, error } = await client.GET("/network-agent/get-task-status", {
      params: { query: { api_agent_task_id: task.data.api_agent_task_id } },
    });
    check(data !== undefined && data.data.status !== "failed", "poll", error ?? data);
    const { task_input: input, task_output: output } = data.data;
    if (data.data.status === "completed") {
      // Both are typed: a field that is not there does not compile.
      check(input.task_type === "agent_profile_fetch" && input.profile_slug === slug, "input", input);
      check(output !== null && "profile" in output, "output", output);
      check(output.profile.full_name === output.name && output.profile_urn !== "", "profile", output);
      return output.name;
    }
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error("the profile was not fetched");
}

async function readPosts(id: string): Promise<number> {
  const { data, error } = await client.GET("/api-posts", { params: { query: { page_size: 5, sort_by: "engagement" } } });
  check(data !== undefined, "posts", error);
  for (const post of data.data) check(post.id !== "" && !Number.isNaN(Date.parse(post.posted_at)), "post", post);
  const own = await client.GET("/api-posts", { params: { query: { watchlist_id: [id] } } });
  check(own.data !== undefined, "posts of the new watchlist", own.error);
  return data.count;
}

// What the posts tell, what a watchlist would find, and what changed.
async function insights(id: string): Promise<void> {
  const leads = await client.GET("/api-leads", { params: { query: { page_size: 5, sort_by: "relevance_first" } } });
  check(leads.data !== undefined && leads.data.data.every((l) => l.posts > 0 && l.kind !== undefined), "leads", leads);
  const trends = await client.GET("/api-trends", { params: { query: { interval: "day", by: "watchlist" } } });
  check(trends.data !== undefined && trends.data.groups.every((g) => g.counts.length === trends.data.intervals.length), "trends", trends);
  const coverage = await client.GET("/api-coverage", { params: { query: { watchlist_id: [id] } } });
  check(coverage.data?.data[0]?.watchlist_id === id && coverage.data.data[0].scans.planned > 0 && !coverage.data.data[0].complete, "coverage", coverage);
  const forecast = await client.GET("/api-forecast", { params: { query: { add: ["agent_profile_fetch:3"] } } });
  check(forecast.data?.actions.find((a) => a.action === "profile_fetch")?.added === 3, "forecast", forecast);
  const preview = await client.POST("/api-keyword-watchlist/preview", { body: { keywords: ["hiring"] } });
  check(preview.data !== undefined && preview.data.posts_tried > 0 && preview.data.scans_per_day > 0, "preview", preview);
  check(preview.data.keywords[0] !== undefined && preview.data.keywords[0].kept_samples.length > 0, "what a preview keeps", preview);
  const changes = await client.GET("/api-changes", { params: { query: { cursor: "earliest", types: ["watchlist"] } } });
  check(changes.data !== undefined && changes.data.changes.some((c) => c.action === "created" && c.id === id), "changes", changes);
  const tasks = await client.GET("/api-tasks", { params: { query: { task_type: ["agent_profile_fetch"], status: "completed" } } });
  check(tasks.data !== undefined && tasks.data.data.length > 0, "tasks", tasks);
}

const before = await list();
const id = await create();
const after = await list();
check(after === before + 1, "watchlists", [before, after]);
const name = await fetchProfile(env("PROFILE"));
const posts = await readPosts(id);
await insights(id);
await follow(id);
await exports(id);
await keys();
await tasks(env("PROFILE"), await join());
console.log(`watchlists ${after}, profile ${name}, posts ${posts}`);
