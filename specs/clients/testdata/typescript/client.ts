// What the parts of the scenario share.
import createClient from "openapi-fetch";
import type { paths } from "./api.js";

declare const process: { env: Record<string, string | undefined> };

export function env(name: string): string {
  return process.env[name] ?? "";
}

export const client = createClient<paths>({
  baseUrl: env("WATCHPOST_URL"),
  headers: { "x-api-key": env("WATCHPOST_KEY") },
});

export function check(condition: boolean, what: string, reply: unknown): asserts condition {
  if (!condition) throw new Error(what + ": " + JSON.stringify(reply));
}

// until asks again until there is an answer, for a minute.
export async function until<T>(what: string, ask: () => Promise<T | undefined>): Promise<T> {
  for (let attempt = 0; attempt < 300; attempt++) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error(what + ": nothing within a minute");
}
