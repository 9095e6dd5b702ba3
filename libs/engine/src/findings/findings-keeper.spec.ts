import { describe, expect, test } from "@jest/globals";
import {
  type Finding,
  type FindingStore,
  resolveOptions,
  type SeenCause,
  type StalledSchedules,
  TickwheelError,
  type TroubledBatches,
  type UnseenDead,
} from "@tickwheel/core";
import { type ClusterStatus, Health } from "@tickwheel/coordination";
import { ManualClock, RecordingTelemetry } from "@tickwheel/testing";
import { FindingsKeeper } from "./findings-keeper.js";

/** Rows in memory, closed by the clock that is shared. */
class MemoryFindings implements FindingStore {
  readonly open = new Map<string, Finding & { seenAt: number }>();
  readonly closed: Finding[] = [];
  isAway = false;
  keeps = 0;
  /** What a write waits for. */
  gate: Promise<void> = Promise.resolve();

  constructor(private readonly now: () => number) {}

  async keep(seen: readonly SeenCause[], closeAfterMs: number): Promise<Finding[]> {
    this.keeps++;
    await this.gate;
    if (this.isAway) throw new TickwheelError("STORE_UNAVAILABLE", "away");
    for (const { since, ...cause } of seen) {
      const known = this.open.get(cause.code);
      this.open.set(cause.code, {
        ...cause,
        id: known?.id ?? `${cause.code} of ${since}`,
        since: known?.since ?? since,
        until: null,
        seenAt: this.now(),
      });
    }
    for (const [code, { seenAt, ...finding }] of this.open)
      if (this.now() - seenAt > closeAfterMs && this.open.delete(code)) this.closed.push({ ...finding, until: seenAt });
    return [...this.open.values()].map(({ seenAt: _seenAt, ...finding }) => finding);
  }

  async lastDay(): Promise<Finding[]> {
    return [...this.closed].reverse();
  }
}

function scene() {
  const clock = new ManualClock();
  const now = (): number => 1_800_000_000_000 + clock.monotonicMs();
  const rows = new MemoryFindings(now);
  const status = { leader: null, nodes: [{ ...NODE }], former: [], coordination: "redis" } as unknown as ClusterStatus;
  /** The types that a look said are served, look by look, and what it was answered. */
  const schedules = { asked: [] as (readonly number[])[], stalled: [] as StalledSchedules[] };
  /** What a look is told of batches; null: the statement fails. */
  const batches = { troubled: [] as TroubledBatches[] | null };
  /** What a look is told of dead tasks. */
  const dead = { unseen: [] as UnseenDead[] };
  const keeper = ({ isLeading = false } = {}) =>
    new FindingsKeeper(
      {
        clock,
        health: new Health(clock, new RecordingTelemetry()),
        tasks: {
          now: async () =>
            (await rows.lastDay().then(() => (rows.isAway ? Promise.reject(new Error("away")) : 0))) as number,
        } as never,
        dbClock: { nowMs: now } as never,
        options: resolveOptions(),
      },
      {
        label: "a",
        isLeading: () => isLeading,
        status: async () => status,
        figures: null,
        findings: rows,
        schedules: {
          stalled: async (servedTypeIds) => {
            schedules.asked.push(servedTypeIds);
            if (rows.isAway) throw new TickwheelError("STORE_UNAVAILABLE", "away");
            return schedules.stalled;
          },
        },
        deadLetters: { unseen: async () => dead.unseen },
        batches: {
          troubled: async () => {
            if (batches.troubled === null) throw new TickwheelError("STORE_UNAVAILABLE", "too slow");
            return batches.troubled;
          },
        },
      },
    );
  const codes = async (one: FindingsKeeper): Promise<string[]> => (await one.report()).now.map(({ code }) => code);
  return { clock, rows, schedules, batches, dead, status, keeper, codes };
}

const NODE = {
  bootId: "1",
  label: "a",
  version: "1",
  state: "live",
  roles: ["engine"],
  typeIds: [],
  joinedAt: 0,
  heartbeatAgeMs: 100,
  vitals: null,
};

describe("the keeper of findings", () => {
  test("a node that does not lead looks for findings only while it is asked", async () => {
    const { clock, rows, keeper, codes } = scene();
    const one = keeper();
    await one.start();
    await clock.advance(60_000);
    expect(rows.keeps).toBe(0);
    expect(await codes(one)).toEqual([]);
    await clock.advance(4_000);
    expect(await codes(one)).toEqual(["NO_LEADER"]);
    await clock.advance(60_000);
    const looks = rows.keeps;
    expect(looks).toBeLessThan(25);
    await clock.advance(60_000);
    expect(rows.keeps).toBe(looks);
    await one.stop();
  });

  test("a leader looks for findings all the time, so that a node that is asked later knows at once", async () => {
    const { clock, rows, keeper, codes } = scene();
    const leader = keeper({ isLeading: true });
    await leader.start();
    await clock.advance(21_000);
    // Each second until it was clear that the cause lasts, then every five.
    expect(rows.keeps).toBeLessThan(9);
    expect(await codes(keeper())).toEqual(["NO_LEADER"]);
    await leader.stop();
  });

  test("a caller that asks for findings while a look is being written waits for it, so that a finding has one id", async () => {
    const { clock, rows, keeper, codes } = scene();
    const one = keeper();
    await codes(one);
    await clock.advance(4_000);
    let open = (): void => undefined;
    rows.gate = new Promise((resolve) => (open = resolve));
    const asked = [one.report()];
    await clock.advance(0);
    asked.push(one.report());
    await clock.advance(0);
    open();
    const ids = (await Promise.all(asked)).map(({ now }) => now.map(({ id }) => id));
    expect(ids[0]).toEqual([expect.stringMatching(/^NO_LEADER of /)]);
    expect(ids[1]).toEqual(ids[0]);
  });

  test("schedules are looked at for findings with the types that present nodes run, and told when their trouble lasts", async () => {
    const { clock, schedules, status, keeper, codes } = scene();
    const others = [
      { ...NODE, bootId: "2", typeIds: [3, 4] },
      { ...NODE, bootId: "3", typeIds: [4, 5], state: "draining" },
      { ...NODE, bootId: "4", typeIds: [6], state: "dead" },
      { ...NODE, bootId: "5", typeIds: [7], roles: ["api"] },
    ];
    (status.nodes as unknown[]).push(...others);
    const failed = {
      typeId: 3,
      namespace: "default",
      type: "report",
      reason: "FAILURES",
      count: 1,
      names: ["nightly"],
    };
    schedules.stalled = [{ ...failed, failures: 3, since: 0 } as StalledSchedules];
    const one = keeper();
    expect(await codes(one)).toEqual([]);
    expect(schedules.asked).toEqual([[3, 4, 5]]);
    await clock.advance(4_000);
    expect(await codes(one)).toContain("SCHEDULE_PAUSED");
  });

  test("batches are told as findings when their trouble lasts, and where they cannot be read, all else is told", async () => {
    const { clock, batches, keeper, codes } = scene();
    const at = { id: "1", name: "import", at: 1_800_000_000_000, left: 0, missing: 0, total: 0 };
    const open = [{ ...at, isComplete: false, onComplete: null }];
    batches.troubled = [{ trouble: "UNSEALED", namespace: "default", count: 1, batches: open }];
    const one = keeper();
    expect(await codes(one)).toEqual([]);
    await clock.advance(4_000);
    expect(await codes(one)).toEqual(["BATCH_UNSEALED", "NO_LEADER"]);
    batches.troubled = null;
    await clock.advance(14_000);
    expect(await codes(one)).toEqual(["NO_LEADER"]);
  });

  test("causes of dead tasks are told as findings until somebody has looked", async () => {
    const { clock, dead, keeper, codes } = scene();
    const group = { typeId: 3, type: "mail", print: 7, title: "Error: full", count: 2, lastAt: 0, seenAt: null };
    dead.unseen = [{ namespace: "default", count: 1, isAtLeast: false, groups: [group] }];
    const one = keeper();
    await codes(one);
    await clock.advance(4_000);
    expect(await codes(one)).toEqual(["DEAD_TASKS", "NO_LEADER"]);
    dead.unseen = [];
    await clock.advance(14_000);
    expect(await codes(one)).toEqual(["NO_LEADER"]);
  });

  test("without the store a node tells the findings that it sees itself, and the last day has them afterwards", async () => {
    const { clock, rows, keeper, codes } = scene();
    const one = keeper();
    await one.start();
    await codes(one);
    await clock.advance(5_000);
    rows.isAway = true;
    await clock.advance(2_000);
    expect(await codes(one)).toEqual([]);
    await clock.advance(4_000);
    expect(await codes(one)).toEqual(["POSTGRES_AWAY"]);
    rows.isAway = false;
    await clock.advance(14_000);
    expect(await codes(one)).toEqual(["NO_LEADER"]);
    await clock.advance(4_000);
    const { lastDay } = await one.report();
    expect(lastDay.map(({ code, until }) => [code, until !== null])).toEqual([["POSTGRES_AWAY", true]]);
    await one.stop();
  });
});
