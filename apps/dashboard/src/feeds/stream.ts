import { signal, type Signal } from "@preact/signals";
import type { Answer } from "../api/api-client.js";
import { parseJson } from "../api/json.js";
import { problemOfFields, type Problem } from "../api/problem.js";
import { emptyFeed, feedAfter, type Feed } from "./feed.js";
import type { LiveMode } from "./live-mode.js";
import type { Timers, Visibility } from "./poller.js";
import type { Topic, TopicAnswers } from "./topics.js";

/** What the stream uses of the browser's `EventSource`. */
export interface EventStream {
  addEventListener(type: string, listener: (event: { readonly data?: unknown }) => void): void;
  close(): void;
}

export interface StreamOptions<T extends Topic> {
  readonly topics: readonly T[];
  /** Opens one connection; it is closed by the stream. */
  readonly open: (topics: readonly T[]) => EventStream;
  /** Asks for one topic's answer by its own call. */
  readonly ask: (topic: T) => Promise<Answer<unknown>>;
  /** The connection brought a topic's answer, or why there is none. */
  readonly onAnswer: (topic: T, problem: Problem | null) => void;
  /** The server ended the session. */
  readonly onEnd: () => void;
  readonly visibility: Visibility;
  readonly timers: Timers;
  readonly now: () => number;
}

/** The server sends an event each second; after so long without one the figures are old. */
export const staleAfterMs = 3_000;
export const pollEveryMs = 5_000;
/** Tries that fail in a row before the page polls. */
const patience = 3;
const retryMs = 1_000;

type Feeds<T extends Topic> = { readonly [K in T]: Signal<Feed<TopicAnswers[K]>> };

/**
 * The newest answer of each topic, by one connection that the server sends along.
 *
 * It tells how fresh it is (`mode`). No event for 3 s: stale, and it connects again. Three tries in a row that fail: it
 * asks each topic by its own call each 5 s, and tries the stream again beside that. A page that nobody looks at, or
 * that is frozen, has no connection; when it is looked at again it connects at once. At most one connection is open.
 * `start` and `stop` may be called in any order, and again.
 */
export class Stream<T extends Topic> {
  readonly mode = signal<LiveMode>({ kind: "connecting" });
  readonly feeds: Feeds<T>;
  readonly #options: StreamOptions<T>;
  #isStarted = false;
  #failures = 0;
  #lastEventAt: number | null = null;
  #source: EventStream | null = null;
  #cancelTimer = (): void => undefined;
  #stopWatching = (): void => undefined;

  constructor(options: StreamOptions<T>) {
    this.#options = options;
    const feeds = options.topics.map((topic) => [topic, signal(emptyFeed)]);
    this.feeds = Object.fromEntries(feeds) as Feeds<T>;
  }

  start(): void {
    if (this.#isStarted) return;
    this.#isStarted = true;
    this.#stopWatching = this.#options.visibility.onChange(() => this.#follow());
    this.#follow();
  }

  stop(): void {
    this.#isStarted = false;
    this.#stopWatching();
    this.#disconnect();
  }

  /** When the connection last said anything, in milliseconds of the epoch: until then every topic was as it is told. */
  get lastEventAt(): number | null {
    return this.#lastEventAt;
  }

  /** Connects where the page is looked at, and lets go where it is not. */
  #follow(): void {
    this.#disconnect();
    this.#failures = 0;
    if (this.#canRun()) this.#connect();
  }

  #connect(): void {
    const source = this.#options.open(this.#options.topics);
    this.#source = source;
    const on = (type: string, hear: (data: unknown) => void): void =>
      source.addEventListener(type, (event) => {
        if (this.#source === source) hear(event.data);
      });
    on("hello", () => this.#heard());
    on("tick", () => this.#heard());
    on("end", () => this.#end());
    on("error", () => this.#fail());
    on("problem", (data) => this.#hearProblem(data));
    for (const topic of this.#options.topics) {
      on(topic, (data) => this.#hear(topic, { ok: true, value: parseJson(String(data)), outcome: null }));
    }
    this.#expectEvent();
  }

  #disconnect(): void {
    this.#source?.close();
    this.#source = null;
    this.#cancelTimer();
  }

  #heard(): void {
    this.#failures = 0;
    this.#lastEventAt = this.#options.now();
    this.mode.value = { kind: "live" };
    this.#expectEvent();
  }

  /** Without an event in time the connection counts as lost, whatever the browser says of it. */
  #expectEvent(): void {
    this.#cancelTimer();
    this.#cancelTimer = this.#options.timers.after(staleAfterMs, () => this.#fail());
  }

  #fail(): void {
    this.#disconnect();
    this.#failures += 1;
    const isPolling = this.#failures >= patience;
    if (isPolling) this.mode.value = { kind: "polling", everyMs: pollEveryMs, isFallback: true };
    else if (this.#lastEventAt !== null) this.mode.value = { kind: "stale", since: this.#lastEventAt };
    // Also after the first failure: nobody waits for three to see any figures.
    if (isPolling || this.#lastEventAt === null) void this.#askAll();
    this.#cancelTimer = this.#options.timers.after(isPolling ? pollEveryMs : retryMs, () => this.#connect());
  }

  #end(): void {
    this.#disconnect();
    this.#options.onEnd();
  }

  #hearProblem(data: unknown): void {
    const { topic, problem } = parseJson(String(data)) as { topic: T; problem: unknown };
    if (topic in this.feeds) this.#hear(topic, { ok: false, problem: problemOfFields(problem) });
  }

  #hear(topic: T, answer: Answer<unknown>): void {
    this.#take(topic, answer);
    this.#options.onAnswer(topic, answer.ok ? null : answer.problem);
  }

  async #askAll(): Promise<void> {
    const ask = async (topic: T): Promise<void> => {
      const answer = await this.#options.ask(topic);
      if (this.#canRun() && this.mode.value.kind !== "live") this.#take(topic, answer);
    };
    await Promise.all(this.#options.topics.map(ask));
  }

  #take(topic: T, answer: Answer<unknown>): void {
    const feed = this.feeds[topic] as Signal<Feed<unknown>>;
    feed.value = feedAfter(feed.value, answer, this.#options.now());
  }

  #canRun(): boolean {
    return this.#isStarted && !this.#options.visibility.isHidden();
  }
}
