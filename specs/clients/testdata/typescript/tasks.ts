// Tasks that are waited for, taken from what is stored, withdrawn and cancelled.
import type { components } from "./api.js";
import { check, client } from "./client.js";

type Task = components["schemas"]["TaskStatus"];

// tasks takes a stored result, invites a person and withdraws that, and cancels a task of a
// member without a browser.
export async function tasks(slug: string, member: string): Promise<void> {
  const again = await client.POST("/network-agent/fetch-profile", { body: { profile_slug: slug, max_age: 3600 } });
  check(again.data?.from_stored === true && again.data.fetched_at !== undefined, "a stored result", again);
  // The title is that of people whom no other client invites.
  const search = await client.POST("/network-agent/search-profiles", { body: { title: "Senior UX Researcher" } });
  check(search.data !== undefined, "search", search);
  const { task_output: found } = await finished(search.data.api_agent_task_id);
  check(found !== null && "profiles" in found, "people", found);
  const stranger = found.profiles.find((p) => p.degree > 1);
  check(stranger !== undefined, "strangers", found);
  await invite(stranger.profile_urn);
  await cancel(stranger.profile_urn, member);
}

// invite asks a person to connect, and takes that back.
async function invite(profile_urn: string): Promise<void> {
  const asked = await client.POST("/network-agent/send-connection-request", { body: { profile_urn } });
  check(asked.data !== undefined, "invitation", asked);
  await finished(asked.data.api_agent_task_id);
  const back = await client.POST("/network-agent/withdraw-invitation", { body: { profile_urn } });
  check(back.data !== undefined, "withdrawal", back);
  const { task_output: output } = await finished(back.data.api_agent_task_id);
  check(output !== null && "withdrawn" in output && output.withdrawn && output.profile_urn === profile_urn, "withdrawal", output);
}

// cancel cancels a task that waits for a browser.
async function cancel(recipient_urn: string, user_email: string): Promise<void> {
  const made = await client.POST("/network-agent/send-message", { body: { recipient_urn, message: "Hello", user_email } });
  check(made.data?.expected.when === "waiting" && made.data.expected.reason !== null, "a task that waits", made);
  const api_agent_task_id = made.data.api_agent_task_id, began = Date.now();
  const waits = await client.GET("/network-agent/get-task-status", { params: { query: { api_agent_task_id, wait: 1 } } });
  check(waits.data?.data.status === "pending" && Date.now() - began >= 900, "a second's wait", waits);
  const gone = await client.DELETE("/api-tasks", { params: { query: { id: api_agent_task_id } } });
  const output = gone.data?.data.task_output;
  check(output !== null && output !== undefined && "error" in output && output.error.code === "cancelled" && output.retry_safe, "cancelled task", gone);
}

// finished waits for a task without asking often.
async function finished(api_agent_task_id: string): Promise<Task> {
  for (;;) {
    const { data, error } = await client.GET("/network-agent/get-task-status", { params: { query: { api_agent_task_id, wait: 25 } } });
    check(data !== undefined && data.data.status !== "failed", "task", error ?? data);
    if (data.data.status === "completed") return data.data;
  }
}
