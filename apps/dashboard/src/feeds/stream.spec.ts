import { beforeEach, describe, expect, test } from "@jest/globals";
import type { Answer } from "../api/api-client.js";
import { localProblem } from "../api/problem.js";
import { ManualTimers, ManualVisibility, settled } from "../../test-support/manual-page.js";
import { pollEveryMs, staleAfterMs, Stream, type EventStream } from "./stream.js";

/** A connection whose events the test sends. */
class ManualEvents implements EventStream {
  readonly #listeners = new Map<string, (event: { data?: unknown }) => void>();
  isClosed = false;

  constructor(readonly topics: readonly string[]) {}

  addEventListener(type: string, listener: (event: { data?: unknown }) => void): void {
    this.#listeners.set(type, listener);
  }

  send(type: string, data: unknown = {}): void {
    this.#listeners.get(type)?.({ data: JSON.stringify(data) });
  }

  close(): void {
    this.isClosed = true;
  }
}

describe("Stream", () => {
  let opened: ManualEvents[];
  let asked: string[];
  let heard: unknown[];
  let answers: Answer<unknown>;
  let ended: number;
  let now: number;
  let timers: ManualTimers;
  let visibility: ManualVisibility;
  let stream: Stream<"stats" | "cluster">;

  beforeEach(() => {
    [opened, asked, heard, ended, now] = [[], [], [], 0, 1_000];
    answers = { ok: true, value: { overdue: 7 }, outcome: null };
    timers = new ManualTimers();
    visibility = new ManualVisibility();
    stream = new Stream({
      topics: ["stats", "cluster"],
      open(topics) {
        opened.push(new ManualEvents(topics));
        return opened.at(-1)!;
      },
      ask(topic) {
        asked.push(topic);
        return Promise.resolve(answers);
      },
      onAnswer: (topic, problem) => heard.push([topic, problem?.code ?? null]),
      onEnd: () => (ended += 1),
      visibility,
      timers,
      now: () => now,
    });
    stream.start();
  });

  const last = (): ManualEvents => opened.at(-1)!;
  const openCount = (): number => opened.filter(({ isClosed }) => !isClosed).length;

  test("the stream has one connection for all its topics, and is live from the first event on", () => {
    expect(opened.map(({ topics }) => topics)).toEqual([["stats", "cluster"]]);
    expect(stream.mode.value).toEqual({ kind: "connecting" });
    last().send("hello");
    expect(stream.mode.value).toEqual({ kind: "live" });
    expect(asked).toEqual([]);
  });

  test("the stream holds the newest answer of each topic, and why there is no newer one", () => {
    last().send("stats", { overdue: 1 });
    last().send("stats", { overdue: 2 });
    now = 2_000;
    last().send("problem", { topic: "stats", problem: { status: 503, code: "STORE_UNAVAILABLE", title: "Away" } });
    expect(stream.feeds.stats.value).toMatchObject({
      value: { overdue: 2 },
      readAt: 1_000,
      problem: { status: 503, code: "STORE_UNAVAILABLE" },
    });
    expect(stream.feeds.cluster.value.value).toBeNull();
    expect(heard).toEqual([
      ["stats", null],
      ["stats", null],
      ["stats", "STORE_UNAVAILABLE"],
    ]);
  });

  test("the stream is stale after 3 s without an event, says since when, and connects again", () => {
    last().send("tick");
    expect(timers.pending.map(({ delayMs }) => delayMs)).toEqual([staleAfterMs]);
    now = 4_000;
    timers.fire();
    expect(stream.mode.value).toEqual({ kind: "stale", since: 1_000 });
    expect(openCount()).toBe(0);
    timers.fire();
    expect([opened.length, openCount()]).toEqual([2, 1]);
    last().send("tick");
    expect(stream.mode.value).toEqual({ kind: "live" });
  });

  test("the stream asks at once where its first connection fails, and polls after the third", async () => {
    last().send("error");
    await settled();
    expect(asked).toEqual(["stats", "cluster"]);
    expect(stream.feeds.stats.value.value).toEqual({ overdue: 7 });
    for (const kind of ["connecting", "polling"]) {
      timers.fire();
      last().send("error");
      expect(stream.mode.value.kind).toBe(kind);
    }
    expect(timers.pending.map(({ delayMs }) => delayMs)).toEqual([pollEveryMs]);
    asked = [];
    timers.fire();
    last().send("error");
    expect(asked).toEqual(["stats", "cluster"]);
    timers.fire();
    last().send("hello");
    expect(stream.mode.value).toEqual({ kind: "live" });
  });

  test("a poll of the stream that fails keeps the figures, with their time", async () => {
    last().send("stats", { overdue: 1 });
    answers = { ok: false, problem: localProblem("The API cannot be reached") };
    now = 9_000;
    last().send("error");
    await settled();
    expect(stream.feeds.stats.value).toMatchObject({ value: { overdue: 1 }, readAt: 1_000, problem: answers.problem });
  });

  test("the stream lets go while nobody looks, and connects at once when somebody does", () => {
    last().send("tick");
    visibility.show(false);
    expect([openCount(), timers.pending.length]).toEqual([0, 0]);
    visibility.show(true);
    expect(openCount()).toBe(1);
  });

  test("a server that ends the session is not asked again by the stream", () => {
    last().send("end", { code: "UNAUTHENTICATED" });
    expect([ended, openCount(), timers.pending.length]).toEqual([1, 0, 0]);
  });

  test("events of a stream's connection that was given up change nothing", () => {
    const first = last();
    first.send("tick");
    timers.fire();
    first.send("stats", { overdue: 1 });
    expect(stream.feeds.stats.value.value).toBeNull();
  });

  test("stop closes the stream, twice too, and start opens it again", () => {
    stream.stop();
    stream.stop();
    expect([openCount(), timers.pending.length]).toEqual([0, 0]);
    stream.start();
    stream.start();
    expect([opened.length, openCount()]).toEqual([2, 1]);
  });
});
