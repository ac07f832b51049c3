// Keys with scopes, sign-ins by one-time codes, and invitations of members.
import { check, client, env, until } from "./client.js";

declare const process: {
  getBuiltinModule(name: "node:fs"): { readdirSync(dir: string): string[]; readFileSync(file: string, encoding: "utf8"): string };
};

// keys makes a key that reads, uses it, renames it and deletes it.
export async function keys(): Promise<void> {
  const made = await client.POST("/api-keys", { body: { name: "Reader", scopes: ["read"], daily_limits: { like: 1 } } });
  check(made.data?.key?.startsWith("wpk_") === true, "key", made);
  const headers = { "x-api-key": made.data.key ?? "" }, id = made.data.id;
  const seen = await client.GET("/api-team", { headers });
  check(seen.data !== undefined, "a key that reads", seen);
  const refused = await client.POST("/api-keys", { body: { name: "Another", scopes: ["read"] }, headers });
  check(refused.response.status === 403 && refused.error !== undefined, "a key beyond its scope", refused);
  const changed = await client.PUT("/api-keys", { body: { id, name: "Reader, renamed" } });
  check(changed.data?.name === "Reader, renamed" && changed.data.daily_limits.like === 1, "changed key", changed);
  const gone = await client.DELETE("/api-keys", { params: { query: { id } } });
  check(gone.data?.deleted === true, "deleted key", gone);
  const ended = await client.GET("/api-team", { headers });
  check(ended.response.status === 401, "a deleted key", ended);
}

// join invites two people: one signs in and reads of the invitation, the other accepts it. It
// returns the address of the new member, who has no browser.
export async function join(): Promise<string> {
  const team = await client.GET("/api-team");
  check(team.data !== undefined, "team", team);
  const guest = "ts-guest@example.com", member = "ts-member@example.com", { id } = team.data;
  const asked = await invite(id, guest);
  const seen = await signIn(guest);
  check(seen.invitations?.length === 1 && seen.invitations[0]!.id === asked && seen.team.id !== id, "pending invitation", seen);
  const joined = await signIn(member, await invite(id, member));
  check(joined.invitations === undefined && joined.team.id === id && joined.api_key === env("WATCHPOST_KEY"), "accepted invitation", joined);
  return member;
}

async function invite(id: string, email: string): Promise<string> {
  const asked = await client.POST("/admin/teams/{id}/members", {
    params: { path: { id } },
    body: { email, role: "member", invite: true },
    headers: { authorization: "Bearer " + env("ADMIN") },
  });
  check(asked.data?.pending === true, "invitation of a member", asked);
  return asked.data.id;
}

// signIn signs in by a code from the mail, and accepts an invitation if one is named.
async function signIn(email: string, accept?: string) {
  const sent = await client.POST("/network-agent/auth-send-otp", { body: { email } });
  check(sent.data !== undefined && sent.data.nonce !== "", "code", sent);
  const fs = process.getBuiltinModule("node:fs");
  const otp = await until("a code for " + email, async () => {
    const mails = fs.readdirSync(env("MAIL")).filter((name) => name.endsWith("-" + email + ".eml"));
    const found = mails.map((name) => /code is (\d{6})/.exec(fs.readFileSync(env("MAIL") + "/" + name, "utf8"))?.[1]);
    return found.find((code) => code !== undefined);
  });
  const reply = await client.POST("/network-agent/auth-verify-otp", { body: { email, otp, nonce: sent.data.nonce, ...(accept === undefined ? {} : { accept }) } });
  check(reply.data !== undefined, "sign-in", reply);
  return reply.data;
}
