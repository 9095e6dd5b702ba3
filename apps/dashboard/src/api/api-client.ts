import { parseJson } from "./json.js";
import { localProblem, problemOfAnswer, problemOfFailure, type Problem } from "./problem.js";

export type Answer<T> =
  | { readonly ok: true; readonly value: T; readonly outcome: string | null }
  | { readonly ok: false; readonly problem: Problem };

export interface Call {
  readonly method: "GET" | "POST" | "DELETE";
  /** Below the base, with its slash: `/tasks`. */
  readonly path: string;
  /** Fields that are undefined or empty are left out. */
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly body?: unknown;
}

export interface ApiClientOptions {
  /** As `apiBaseOf` gives it. */
  readonly base: string;
  readonly key: string;
  readonly fetch: typeof fetch;
  /** Called for each 401 until the client is closed. */
  readonly onUnauthenticated: (problem: Problem) => void;
  /** How long a call may take. Default 10,000. */
  readonly callTimeoutMs?: number;
}

/**
 * Calls the API with one key, which it holds in memory and shows to nobody.
 *
 * Every answer is a value, also a refusal, an answer that cannot be read and no answer at all. After `close` the calls
 * in flight are aborted and `onUnauthenticated` is silent.
 */
export class ApiClient {
  readonly #options: ApiClientOptions;
  readonly #closed = new AbortController();

  constructor(options: ApiClientOptions) {
    this.#options = options;
  }

  close(): void {
    this.#closed.abort();
  }

  async call<T>(call: Call): Promise<Answer<T>> {
    const answer = await this.#send<T>(call);
    if (!answer.ok && answer.problem.status === 401 && !this.#closed.signal.aborted) {
      this.#options.onUnauthenticated(answer.problem);
    }
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

  #requestOf({ method, body }: Call): RequestInit {
    const { key, callTimeoutMs = 10_000 } = this.#options;
    const headers: Record<string, string> = { Accept: "application/json", Authorization: `Bearer ${key}` };
    if (body !== undefined) headers["Content-Type"] = "application/json";
    return {
      method,
      headers,
      body: body === undefined ? undefined : JSON.stringify(body),
      cache: "no-store",
      credentials: "omit",
      signal: AbortSignal.any([this.#closed.signal, AbortSignal.timeout(callTimeoutMs)]),
    };
  }
}

function readValue<T>(body: string, outcome: string | null): Answer<T> {
  try {
    return { ok: true, value: parseJson(body) as T, outcome };
  } catch {
    return { ok: false, problem: localProblem("The answer is not JSON", "Is there a Tickwheel API at this address?") };
  }
}
