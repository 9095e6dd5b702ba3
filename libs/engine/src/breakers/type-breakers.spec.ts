import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { Health } from "@tickwheel/coordination";
import type { AttemptJudge, BootId, BreakerSubject, ExecutionResult } from "@tickwheel/core";
import {
  ManualClock,
  MemoryBreakerStore,
  MemoryClusterStore,
  MemoryDatabase,
  RecordingTelemetry,
} from "@tickwheel/testing";
import { OpenBreakers } from "./open-breakers.js";
import { TypeBreakers, verdictOf } from "./type-breakers.js";

const MAIL = 1;
const SUBJECT: BreakerSubject = { kind: "type", namespace: "shop", name: "mail" };
const entryOf = (timeoutMs = 30_000) => ({ task: { typeId: MAIL, timeoutMs } });

let clock: ManualClock;
let database: MemoryDatabase;
let nodes: Node[];

/** One node's breakers over the shared database. Its judge opens at the third failure. */
class Node {
  readonly telemetry = new RecordingTelemetry();
  readonly open: OpenBreakers;
  readonly breakers: TypeBreakers;
  failures = 0;
  onChange: () => unknown = () => undefined;
  present = new Set<BootId>();

  constructor(readonly bootId: BootId) {
    const store = new MemoryBreakerStore(database.connect(bootId));
    const health = new Health(clock, this.telemetry);
    const now = (): number => database.now();
    const dbClock = { earliestMs: now, nowMs: now, timeUntilDueMs: (due: number) => due - now() };
    this.open = new OpenBreakers({ clock, health, dbClock, store, changed: () => void this.onChange() });
    this.breakers = new TypeBreakers({
      clock,
      health,
      telemetry: this.telemetry,
      store,
      open: this.open,
      subjectOf: (typeId) => (typeId === MAIL ? SUBJECT : null),
      judgeOf: (_typeId, opens): AttemptJudge => ({
        openForMs: 10_000,
        add: (hasFailed) => {
          if (hasFailed && ++this.failures === 3) opens();
        },
        reset: () => void (this.failures = 0),
        stop: () => undefined,
      }),
      bootId: () => bootId,
      isPresent: (other) => this.present.has(other),
      announce: () => {
        for (const { open } of nodes) open.hinted();
      },
    });
  }

  /** A task is claimed and starts, if it may: its execution. */
  starts(timeoutMs?: number) {
    if (!this.breakers.isOpen(MAIL)) return null;
    this.breakers.spend(MAIL);
    if (!this.breakers.admits(MAIL)) return null;
    const entry = entryOf(timeoutMs);
    this.breakers.started(entry);
    return entry;
  }

  get told(): string[] {
    return this.telemetry.events.map(({ name }) => name).filter((name) => name.startsWith("breaker."));
  }
}

beforeEach(async () => {
  clock = new ManualClock();
  database = new MemoryDatabase({ clock });
  const cluster = new MemoryClusterStore(database.connect("suite"));
  nodes = [];
  for (const bootId of ["1", "2"]) {
    await cluster.join({ bootId, label: `10.0.0.1:${bootId}`, version: "1.0.0", roles: ["engine"], typeIds: [] });
    nodes.push(new Node(bootId));
  }
  for (const { present } of nodes) nodes.forEach(({ bootId }) => present.add(bootId));
  await Promise.all(nodes.map(({ open }) => open.start()));
  await clock.advance(1);
});

afterEach(async () => {
  for (const { open, breakers } of nodes) {
    breakers.stop();
    await open.stop();
  }
});

/** Three attempts fail on the first node. */
async function opened(): Promise<[Node, Node]> {
  const [first, second] = nodes as [Node, Node];
  for (let attempt = 0; attempt < 3; attempt++) first.breakers.ended(first.starts()!, "failed");
  await clock.advance(200);
  return [first, second];
}

/** Each asks whether it may claim, and again when the store has answered. */
async function tries(...asking: readonly Node[]): Promise<boolean[]> {
  for (const node of asking) node.breakers.isOpen(MAIL);
  await clock.advance(200);
  return asking.map((node) => node.breakers.isOpen(MAIL));
}

describe("the breaker of a type", () => {
  test("the breaker of a type opens on all nodes when attempts of one node fail, and lets one of them try one task", async () => {
    const [first, second] = await opened();
    expect(await tries(first, second)).toEqual([false, false]);
    expect([first.breakers.admits(MAIL), second.breakers.admits(MAIL)]).toEqual([false, false]);
    await clock.advance(10_000);
    const [mine, other] = await tries(first, second);
    expect([mine, other].filter(Boolean)).toHaveLength(1);
    const [trier, idle] = mine ? [first, second] : [second, first];
    const trial = trier.starts()!;
    expect([trial === null, trier.starts(), trier.breakers.admits(MAIL), idle.starts()]).toEqual([
      false,
      null,
      false,
      null,
    ]);
    trier.breakers.ended(trial, "good");
    await clock.advance(200);
    expect(await tries(first, second)).toEqual([true, true]);
    expect([first.told[0], trier.told.slice(-2)]).toEqual([
      "breaker.opened",
      ["breaker.half_opened", "breaker.closed"],
    ]);
  });

  test("the breaker of a type stays open for twice as long when the trial fails", async () => {
    const [first, second] = await opened();
    await clock.advance(10_000);
    expect(await tries(first)).toEqual([true]);
    first.breakers.ended(first.starts()!, "failed");
    await clock.advance(19_000);
    expect(await tries(first, second)).toEqual([false, false]);
    await clock.advance(1_000);
    expect(await tries(second)).toEqual([true]);
  });

  test("the breaker of a type leaves the trial to the next task where a task says nothing, or is not claimed after all", async () => {
    const [first] = await opened();
    await clock.advance(10_000);
    await tries(first);
    first.breakers.spend(MAIL);
    expect(first.breakers.isOpen(MAIL)).toBe(false);
    first.breakers.giveBack(MAIL);
    const aborted = first.starts()!;
    first.breakers.ended(aborted, null);
    expect(first.starts()).not.toBeNull();
  });

  test("the breaker of a type is tried by another node when the node that tries has died, or takes longer than its task may", async () => {
    const [first, second] = await opened();
    await clock.advance(10_000);
    await tries(first);
    first.starts(60_000);
    await clock.advance(60_000);
    expect(await tries(second)).toEqual([false]);
    await clock.advance(5_000);
    expect(await tries(second)).toEqual([true]);
    const trial = second.starts(3_600_000)!;
    await clock.advance(200);
    first.present.delete(second.bootId);
    expect(await tries(first)).toEqual([false]);
    await new MemoryClusterStore(database.connect("suite")).leave(second.bootId);
    expect(await tries(first)).toEqual([true]);
    second.breakers.ended(trial, "good");
    await clock.advance(200);
    expect(first.starts()).not.toBeNull();
  });

  test("a breaker asks every two seconds whether it may try where another node that is not there any more still may", async () => {
    const [first, second] = await opened();
    await clock.advance(10_000);
    await tries(second);
    second.starts(3_600_000);
    await clock.advance(200);
    first.present.delete(second.bootId);
    first.onChange = () => clock.setTimer(1, () => void first.breakers.isOpen(MAIL));
    const before = database.commits;
    first.breakers.isOpen(MAIL);
    await clock.advance(10_000);
    expect(database.commits - before).toBeGreaterThanOrEqual(5);
    expect(database.commits - before).toBeLessThanOrEqual(15);
  });

  test("the breaker of a type asks nobody while its time is not over, and only once at a time", async () => {
    const [first] = await opened();
    const before = database.commits;
    for (let ask = 0; ask < 100; ask++) first.breakers.isOpen(MAIL);
    expect(database.commits).toBe(before);
  });

  test("the breaker of another type, or of a node that has read nothing, is closed", async () => {
    const [first] = await opened();
    expect([first.breakers.isOpen(2), first.breakers.admits(2)]).toEqual([true, true]);
    const fresh = new Node("9");
    expect([fresh.breakers.isOpen(MAIL), fresh.open.all()]).toEqual([true, []]);
  });
});

const error: ExecutionResult = { kind: "failed", error: "x", retryable: true };

test.each<[string, ExecutionResult, ReturnType<typeof verdictOf>]>([
  ["a success", { kind: "succeeded", result: null }, "good"],
  ["an error", error, "failed"],
  ["one that no attempt cures", { ...error, retryable: false }, null],
  ["a payload of a later version", { ...error, reason: "PAYLOAD_INVALID" }, null],
  ["a snooze", { kind: "snoozed", delayMs: 1 }, null],
  ["a condition that says no", { kind: "skipped" }, null],
])(
  "an attempt that ends with %s says of its type what it should, and nothing where it was aborted",
  (_what, result, expected) => {
    expect([verdictOf(result, false), verdictOf(result, true)]).toEqual([expected, null]);
  },
);
