import { signal } from "@preact/signals";
import { apiBaseOf } from "./api/address.js";
import { ApiClient } from "./api/api-client.js";
import { localProblem, type Problem } from "./api/problem.js";
import { TickwheelApi } from "./api/tickwheel-api.js";

export type Session =
  | { readonly kind: "out"; /** Why, if it was not asked for. */ readonly message: string | null }
  | { readonly kind: "in"; readonly api: TickwheelApi };

export const session = signal<Session>({ kind: "out", message: null });

/** Holds the key while somebody is logged in. It is kept nowhere else: a reload asks for it again. */
let client: ApiClient | null = null;

/** Tries `key` on the API. Null if it was accepted. */
export async function logIn(key: string): Promise<Problem | null> {
  // A header takes no other characters: `fetch` would throw.
  if (!/^[\x21-\x7e]+$/.test(key)) return localProblem("This is not an API key", "A key has no spaces and only ASCII.");
  const candidate: ApiClient = new ApiClient({
    base: apiBaseOf(location.href),
    key,
    fetch: (...request) => fetch(...request),
    onUnauthenticated: () => {
      if (client === candidate) logOut("The API key is no longer accepted: it was revoked or has expired.");
    },
  });
  const api = new TickwheelApi(candidate);
  const answer = await api.stats();
  if (!answer.ok) return answer.problem;
  client = candidate;
  session.value = { kind: "in", api };
  return null;
}

/** Forgets the key and, with the pages that held it, all that was read. */
export function logOut(message: string | null = null): void {
  client?.close();
  client = null;
  session.value = { kind: "out", message };
}
