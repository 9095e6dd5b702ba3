import { parseJson } from "./json.js";
import { localProblem, problemOfAnswer, problemOfFailure, type Problem } from "./problem.js";

export type Answer<T> =
  | { readonly ok: true; readonly value: T; readonly outcome: string | null }
  | { readonly ok: false; readonly problem: Problem };

export interface Call {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Below the base, with its slash: `/tasks`. */
  readonly path: string;
  /** Fields that are undefined or empty are left out. */
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly body?: unknown;
  /** The version that what is changed must have; null: any. */
  readonly ifMatch?: number | string | null;
  /** The first of several calls with the same one is done, and the others get its answer. */
  readonly idempotencyKey?: string;
}

export interface ApiClientOptions {
  /** As `apiBaseOf` gives it. */
  readonly base: string;
  readonly fetch: typeof fetch;
  /** What a call that changes something must carry; null: there is no session. */
  readonly csrfToken: () => string | null;
  /** Called after each call, whatever came of it. */
  readonly onAnswer?: (call: Call, problem: Problem | null) => void;
  /** How long a call may take. Default 10,000. */
  readonly callTimeoutMs?: number;
}

/**
 * Calls the API within the browser's session: its cookie goes along by itself, and no key is known here.
 *
 * Every answer is a value, also a refusal, an answer that cannot be read and no answer at all.
 */
export class ApiClient {
  readonly #options: ApiClientOptions;

  constructor(options: ApiClientOptions) {
    this.#options = options;
  }

  async call<T>(call: Call): Promise<Answer<T>> {
    const answer = await this.#send<T>(call);
    this.#options.onAnswer?.(call, answer.ok ? null : answer.problem);
    return answer;
  }

  async #send<T>(call: Call): Promise<Answer<T>> {
    const { fetch } = this.#options;
    try {
      const response = await fetch(this.#addressOf(call), this.#requestOf(call));
      const body = await response.text();
      if (response.ok) return readValue<T>(body, response.headers.get("Tickwheel-Outcome"));
      const retryAfter = response.headers.get("Retry-After");
      return { ok: false, problem: problemOfAnswer({ status: response.status, retryAfter, body }) };
    } catch (cause) {
      return { ok: false, problem: problemOfFailure(cause) };
    }
  }

  #addressOf({ path, query = {} }: Call): string {
    const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== "");
    const search = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
    return `${this.#options.base}${path}${search && `?${search}`}`;
  }

  #requestOf({ method, body, ifMatch = null, idempotencyKey }: Call): RequestInit {
    const { callTimeoutMs = 10_000 } = this.#options;
    const headers: Record<string, string> = { Accept: "application/json" };
    const csrfToken = method === "GET" ? null : this.#options.csrfToken();
    if (csrfToken !== null) headers["X-CSRF-Token"] = csrfToken;
    if (ifMatch !== null) headers["If-Match"] = `"${ifMatch}"`;
    if (idempotencyKey !== undefined) headers["Idempotency-Key"] = idempotencyKey;
    if (body !== undefined) headers["Content-Type"] = "application/json";
    return {
      method,
      headers,
      body: body === undefined ? undefined : JSON.stringify(body),
      cache: "no-store",
      credentials: "same-origin",
      signal: AbortSignal.timeout(callTimeoutMs),
    };
  }
}

function readValue<T>(body: string, outcome: string | null): Answer<T> {
  try {
    return { ok: true, value: (body === "" ? null : parseJson(body)) as T, outcome };
  } catch {
    return { ok: false, problem: localProblem("The answer is not JSON", "Is there a Tickwheel API at this address?") };
  }
}
