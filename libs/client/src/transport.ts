import type { CallOptions, IfMatchOption, OnceOption, WaitOption } from "./call-options.js";
import { ClientError, errorOf } from "./client-error.js";
import type { Row } from "./row.js";
import { after, spread, waited } from "./system-time.js";

/** How a server is reached. */
export interface TransportOptions {
  /** Where the server is, with the path that it is mounted at. @example "https://tasks.example.com" */
  readonly url: string;
  /** The API key. Default: none is sent; in a page the session's cookie may take its place. */
  readonly key?: string | undefined;
  /** What sends. Default: the `fetch` of the platform. */
  readonly fetch?: typeof fetch | undefined;
  readonly retry?:
    | {
        /** How often a call is sent at most. 1: never again. Default: 4. */
        readonly attempts?: number | undefined;
      }
    | undefined;
}

/** One call, with all that its row may take. */
export interface Call {
  readonly row: Row;
  /** The values in its address, in order. */
  readonly places: readonly string[];
  readonly input: unknown;
  readonly options: CallOptions & OnceOption & IfMatchOption & WaitOption;
}

interface Request {
  readonly url: URL;
  readonly method: string;
  readonly headers: Headers;
  readonly body?: string;
}

/** Nobody knows what became of a call with such an answer. */
const GATEWAYS = [502, 503, 504];
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 30_000;

/** How long to wait before the next try: as the server says, else a second, doubled up to 30 s, ± 20 %. */
export function waitBefore(failures: number, retryAfterMs: number | null): number {
  return retryAfterMs ?? Math.min(FIRST_WAIT_MS * 2 ** (failures - 1), LONGEST_WAIT_MS) * spread();
}

/** Whether the next try may go well: no answer, too many calls, or a server or gateway that is in trouble. */
export function mayPass(error: unknown): error is ClientError {
  return error instanceof ClientError && (error.status === 0 || error.status === 429 || error.status >= 500);
}

/** Sends calls, and sends them again where their row allows it. */
export class Transport {
  private readonly base: URL;
  private readonly fetch: typeof fetch;
  private readonly attempts: number;

  constructor(private readonly given: TransportOptions) {
    this.base = new URL(given.url);
    this.fetch = given.fetch ?? ((...asked) => globalThis.fetch(...asked));
    this.attempts = given.retry?.attempts ?? 4;
  }

  /** @throws ClientError, or what `signal` was aborted with */
  async call(call: Call): Promise<unknown> {
    const { row, options } = call;
    const request = this.requestOf(call);
    for (let tries = 1; ; tries++) {
      options.signal?.throwIfAborted();
      try {
        return await this.sendOnce(request, row, options);
      } catch (error) {
        options.signal?.throwIfAborted();
        const isLast = tries >= (options.attempts ?? this.attempts);
        if (isLast || !(error instanceof ClientError) || !mayRepeat(row, error)) throw error;
        await waited(waitBefore(tries, error.retryAfterMs), options.signal);
      }
    }
  }

  private requestOf({ row, places, input, options }: Call): Request {
    const left = [...places];
    const path = row.path.replaceAll(/:\w+/g, () => segmentOf(left.shift()));
    const url = new URL(`${this.base.pathname.replace(/\/$/, "")}${path}`, this.base);
    if (row.given === "query") addQuery(url.searchParams, input as object | undefined, row.whole);
    const headers = new Headers({ accept: row.isStream ? "text/event-stream" : "application/json" });
    if (this.given.key !== undefined) headers.set("authorization", `Bearer ${this.given.key}`);
    if (row.isOnce && !hasOwnKey(input)) headers.set("idempotency-key", options.idempotencyKey ?? crypto.randomUUID());
    if (options.ifMatch !== undefined) headers.set("if-match", `"${options.ifMatch}"`);
    if (options.waitSeconds !== undefined) headers.set("prefer", `wait=${options.waitSeconds}`);
    if (row.given !== "body") return { url, method: row.verb, headers };
    headers.set("content-type", "application/json");
    return { url, method: row.verb, headers, body: JSON.stringify(input ?? {}) };
  }

  private async sendOnce({ url, ...request }: Request, row: Row, options: CallOptions): Promise<unknown> {
    const reach = new Reach(options);
    try {
      const response = await this.fetch(url, { ...request, signal: reach.signal });
      // What a poll has claimed is ours once it is on its way: then it is read to its end.
      if (row.isPoll) reach.release();
      if (row.isStream && response.ok) return response;
      return await answerOf(response);
    } catch (error) {
      if (error instanceof ClientError) throw error;
      const detail = reach.isOver ? `none within ${options.timeoutMs} ms` : String(error);
      throw new ClientError({ code: "NO_ANSWER", detail, cause: error });
    } finally {
      if (!row.isStream) reach.release();
    }
  }
}

/** What ends one try: the caller's signal, and the time that it may take. */
class Reach {
  private readonly controller = new AbortController();
  private readonly forget: () => void;
  isOver = false;

  constructor(private readonly options: CallOptions) {
    const { signal, timeoutMs } = options;
    signal?.addEventListener("abort", this.abort);
    this.forget =
      timeoutMs === undefined
        ? () => {}
        : after(timeoutMs, () => {
            this.isOver = true;
            this.controller.abort();
          });
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  release(): void {
    this.options.signal?.removeEventListener("abort", this.abort);
    this.forget();
  }

  private readonly abort = (): void => this.controller.abort(this.options.signal?.reason);
}

async function answerOf(response: Response): Promise<unknown> {
  const text = await response.text();
  if (!response.ok) throw errorOf(response, text);
  if (text === "") return undefined;
  try {
    return JSON.parse(text);
  } catch {
    throw errorOf(response, text);
  }
}

function mayRepeat({ repeat }: Row, error: ClientError): boolean {
  if (error.status === 429) return true;
  return repeat !== "refused" && (error.code === "NO_ANSWER" || GATEWAYS.includes(error.status));
}

/** The input has its idempotency key itself. */
function hasOwnKey(input: unknown): boolean {
  return (input as { idempotencyKey?: unknown } | undefined)?.idempotencyKey != null;
}

/** @throws RangeError for a name that would make another address */
function segmentOf(place: string | undefined): string {
  if (place === undefined || /^\.{0,2}$/.test(place)) throw new RangeError(`"${place}" is no part of an address`);
  return encodeURIComponent(place);
}

function addQuery(to: URLSearchParams, query: object = {}, whole: readonly string[] = []): void {
  for (const [name, value] of Object.entries(query) as [string, unknown][]) {
    if (value == null) continue;
    if (Array.isArray(value) && whole.includes(name)) for (const item of value) to.append(name, String(item));
    else to.set(name, String(value as string | number | boolean | readonly string[]));
  }
}
