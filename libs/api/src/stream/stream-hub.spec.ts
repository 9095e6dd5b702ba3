import { expect, test } from "@jest/globals";
import { type ApiKey, TickwheelError, Turns } from "@tickwheel/core";
import { ManualClock } from "@tickwheel/testing";
import { StreamHub } from "./stream-hub.js";
import type { EventSink } from "./viewer.js";

const KEY: ApiKey = {
  id: "1",
  namespace: "shop",
  role: "viewer",
  cluster: false,
  rights: [],
  types: null,
  expiresAt: null,
};
const START_MS = Date.UTC(2026, 0, 1);

/** A viewer's connection: what he was sent, and whether he reads it. */
class Connection implements EventSink {
  readonly events: [name: string, data: { [field: string]: unknown }][] = [];
  readonly buffers: Buffer[] = [];
  reads = true;
  unreadBytes = 0;
  state: "open" | "ended" | "cut" = "open";

  write(event: Buffer): void {
    const [, name, data] = /^event: (\w+)\ndata: (.*)\n\n$/.exec(event.toString())!;
    this.events.push([name!, JSON.parse(data!)]);
    this.buffers.push(event);
    if (!this.reads) this.unreadBytes += event.length;
  }
  end(event: Buffer): void {
    this.write(event);
    this.state = "ended";
  }
  cut(): void {
    this.state = "cut";
  }
  read(): void {
    this.reads = true;
    this.unreadBytes = 0;
  }
  /** What he was sent of a topic. */
  of(topic: string): unknown[] {
    return this.events.filter(([name]) => name === topic).map(([, data]) => data["value"]);
  }
  get names(): string[] {
    return this.events.map(([name]) => name);
  }
}

function world() {
  const clock = new ManualClock();
  const asked: string[] = [];
  const failures: string[] = [];
  let keyNow: ApiKey | null | "away" = KEY;
  let answer: () => unknown = () => "one";
  const hub = new StreamHub({
    clock,
    turns: new Turns(clock),
    nowMs: () => START_MS + clock.monotonicMs(),
    node: "node 1",
    source: {
      groupOf: (topic, { namespace }) => (topic === "cluster" ? "" : namespace),
      answer: async (topic, { namespace }) => {
        asked.push(`${topic} of ${namespace}`);
        return { value: await answer() };
      },
    },
    onFailure: (topic) => void failures.push(topic),
  });
  const view = (topics: string[], apiKey = KEY) => {
    const connection = new Connection();
    const findKey = async (): Promise<ApiKey | null> => {
      if (keyNow === "away") throw new TickwheelError("STORE_UNAVAILABLE", "away");
      return keyNow;
    };
    const leave = hub.add({ apiKey, topics, findKey }, connection);
    return { connection, leave };
  };
  return {
    clock,
    hub,
    asked,
    failures,
    view,
    says: (value: unknown) => void (answer = () => value),
    fails: (error: Error) =>
      void (answer = () => {
        throw error;
      }),
    keyIs: (apiKey: ApiKey | null | "away") => void (keyNow = apiKey),
  };
}

test("a viewer of a stream is greeted, is told each topic at once, and each second the time", async () => {
  const { clock, view } = world();
  const { connection } = view(["stats"]);
  expect(connection.events).toEqual([["hello", { at: "2026-01-01T00:00:00.000Z", topics: ["stats"] }]]);
  const { connection: ofCluster } = view(["stats"], { ...KEY, cluster: true });
  expect(ofCluster.events).toMatchObject([["hello", { node: "node 1" }]]);
  await clock.advance(1);
  expect(connection.names).toEqual(["hello", "stats"]);
  await clock.advance(2_000);
  expect(connection.events.slice(2)).toEqual([
    ["tick", { at: "2026-01-01T00:00:01.000Z" }],
    ["tick", { at: "2026-01-01T00:00:02.000Z" }],
  ]);
});

test("a stream's topic is sent again when it has changed, and not before", async () => {
  const { clock, view, says } = world();
  const { connection } = view(["stats"]);
  await clock.advance(5_000);
  expect(connection.of("stats")).toEqual(["one"]);
  says("two");
  await clock.advance(3_000);
  says("one");
  await clock.advance(3_000);
  expect(connection.of("stats")).toEqual(["one", "two", "one"]);
});

test("ten viewers of a stream cost one computation a second, and are given the same bytes", async () => {
  const { clock, view, asked } = world();
  const viewers = Array.from({ length: 10 }, () => view(["stats"]));
  await clock.advance(500);
  const late = view(["stats"]);
  await clock.advance(9_600);
  expect(asked).toHaveLength(11);
  expect(late.connection.of("stats")).toEqual(["one"]);
  expect(new Set(viewers.map(({ connection }) => connection.buffers.at(-1))).size).toBe(1);
});

test("topics of a namespace are computed for it alone, and a topic that is the same for all is computed once", async () => {
  const { clock, view, asked } = world();
  view(["stats", "cluster"]);
  view(["stats", "cluster"], { ...KEY, namespace: "office" });
  await clock.advance(100);
  expect(asked.toSorted()).toEqual(["cluster of shop", "stats of office", "stats of shop"]);
});

test("a stream without viewers computes nothing and leaves no timer, and coming and going computes nothing more often", async () => {
  const { clock, view, asked } = world();
  for (let visit = 0; visit < 100; visit++) {
    const { leave } = view(["stats"]);
    await clock.advance(10);
    leave();
    leave();
  }
  expect(asked.length).toBeLessThanOrEqual(2);
  const before = asked.length;
  await clock.advance(10_000);
  expect([asked.length, clock.pendingTimers]).toEqual([before, 0]);
});

test("a topic's computation that takes long is not begun a second time", async () => {
  const { clock, view, says, asked } = world();
  let done: (value: string) => void = () => undefined;
  says(new Promise<string>((resolve) => (done = resolve)));
  const { connection } = view(["stats"]);
  await clock.advance(5_000);
  done("late");
  await clock.advance(100);
  expect(asked).toHaveLength(1);
  expect(connection.names.filter((name) => name === "tick")).toHaveLength(5);
});

test("a stream's topic that fails says so once, is reported once, and comes back with its answer", async () => {
  const { clock, view, says, fails, failures } = world();
  fails(new TickwheelError("STORE_UNAVAILABLE", "away"));
  const { connection } = view(["stats"]);
  await clock.advance(5_000);
  const problems = connection.events.filter(([name]) => name === "problem");
  expect(problems).toEqual([["problem", { topic: "stats", problem: expect.objectContaining({ status: 503 }) }]]);
  says("well");
  await clock.advance(2_000);
  expect([connection.of("stats"), failures]).toEqual([["well"], ["stats"]]);
});

test("a viewer who does not read has little kept for him, and then gets the newest of what he missed", async () => {
  const { clock, view, says } = world();
  const slow = view(["stats"]).connection;
  const quick = view(["stats"]).connection;
  slow.reads = false;
  for (let second = 0; second < 100; second++) {
    says(`${second} ${"x".repeat(20_000)}`);
    await clock.advance(1_000);
  }
  expect(slow.unreadBytes).toBeLessThan(64 * 1024 + 21_000);
  expect(quick.of("stats").length).toBeGreaterThan(90);
  const before = slow.events.length;
  slow.read();
  says("newest");
  await clock.advance(2_000);
  expect(slow.events.slice(before).filter(([name]) => name === "stats")).toEqual([["stats", { value: "newest" }]]);
});

test.each([
  ["is over", null],
  ["has other rights", { ...KEY, role: "admin" } as ApiKey],
])("a stream whose key %s ends within six seconds, and says why", async (_name, apiKey) => {
  const { clock, view, keyIs } = world();
  const { connection } = view(["stats"]);
  await clock.advance(7_000);
  expect(connection.state).toBe("open");
  keyIs(apiKey);
  await clock.advance(6_000);
  expect([connection.state, connection.events.at(-1)]).toEqual([
    "ended",
    ["end", { code: "UNAUTHENTICATED", detail: expect.any(String) }],
  ]);
  const { length } = connection.events;
  await clock.advance(3_000);
  expect([connection.events.length, clock.pendingTimers]).toEqual([length, 0]);
});

test("a stream goes on while nobody can look for its key, for ten minutes", async () => {
  const { clock, view, keyIs } = world();
  const { connection } = view(["stats"]);
  keyIs("away");
  await clock.advance(9 * 60_000);
  expect(connection.state).toBe("open");
  await clock.advance(70_000);
  expect([connection.state, connection.events.at(-1)![1]["code"]]).toEqual(["ended", "STORE_UNAVAILABLE"]);
});

test("a stop ends all streams at once, and cuts off a viewer who does not read", async () => {
  const { clock, hub, view, says } = world();
  const reader = view(["stats"]).connection;
  const sleeper = view(["stats"]).connection;
  sleeper.reads = false;
  says("x".repeat(100_000));
  await clock.advance(2_000);
  hub.endAll();
  expect([reader.state, reader.events.at(-1)![1]["code"], sleeper.state]).toEqual([
    "ended",
    "STORE_UNAVAILABLE",
    "cut",
  ]);
  await clock.advance(2_000);
  expect(clock.pendingTimers).toBe(0);
});
