import { computed, signal } from "@preact/signals";
import { apiBaseOf } from "../api/address.js";
import { ApiClient, type Call } from "../api/api-client.js";
import { localProblem, type Problem } from "../api/problem.js";
import { sessionPath, TickwheelApi } from "../api/tickwheel-api.js";
import { type Role, roles, type Session } from "../api/wire.js";
import { goTo, placeNow } from "../place/place.js";
import { hearAnswer, storeAway } from "./store-health.js";

/**
 * Who is logged in; null: nobody. Its CSRF token is all the script knows of the session: the cookie is hidden from it.
 */
export const session = signal<Session | null>(null);

/** The session ended under the page: it stays as it is, and the log-in opens over it. */
export const hasEnded = signal(false);

/** Why nobody could be asked about a session when the page was loaded. */
export const restoreProblem = signal<Problem | null>(null);

const client = new ApiClient({
  base: apiBaseOf(location.href),
  fetch: (...request) => fetch(...request),
  csrfToken: () => session.peek()?.csrfToken ?? null,
  onAnswer: hear,
});

export const api = new TickwheelApi(client);

/** Why nothing can be changed here now; null: it can. */
export const whyReadOnly = computed<string | null>(() => {
  if (!mayAs("operator")) return "You are a viewer: you may read, not act.";
  return storeAway.value ? "Postgres is away: nothing can be changed until it answers." : null;
});

/** Whether the role has what `needed` has. The server checks anyway. */
export function mayAs(needed: Role): boolean {
  const role = session.value?.role;
  return role !== undefined && roles.indexOf(role) >= roles.indexOf(needed);
}

/** Takes up the session that the browser still has, if there is one. */
export async function restore(): Promise<void> {
  const answer = await api.session();
  if (answer.ok) begin(answer.value);
  else if (answer.problem.status !== 401) restoreProblem.value = answer.problem;
  if (!answer.ok && placeNow().page !== "log-in") goTo({ page: "log-in", back: location.hash || "#/" }, "replace");
}

/** Exchanges `key` for a session. Null if it was accepted. */
export async function logIn(key: string): Promise<Problem | null> {
  // A header takes no other characters, and neither does a key.
  if (!/^[\x21-\x7e]+$/.test(key)) return localProblem("This is not an API key", "A key has no spaces and only ASCII.");
  const answer = await api.logIn(key);
  if (!answer.ok) return answer.problem;
  begin(answer.value);
  return null;
}

/** Ends the session on the server, too. */
export async function logOut(): Promise<Problem | null> {
  const answer = await api.logOut();
  if (!answer.ok && answer.problem.status !== 401) return answer.problem;
  session.value = null;
  hasEnded.value = false;
  goTo({ page: "log-in", back: "#/" });
  return null;
}

/** Says that the session is over, as a stream does when the server ends it. */
export function endSession(): void {
  if (session.peek()) hasEnded.value = true;
}

function begin(info: Session): void {
  session.value = info;
  hasEnded.value = false;
  restoreProblem.value = null;
  const at = placeNow();
  if (at.page === "log-in") location.replace(at.back);
}

/** Learns from an answer that came another way than by a call whether Postgres answers. */
export function heardOf(path: string, problem: Problem | null): void {
  hearAnswer({ path, problem, now: Date.now() });
}

function hear(call: Call, problem: Problem | null): void {
  heardOf(call.path, problem);
  if (problem?.status === 401 && call.path !== sessionPath) endSession();
}
