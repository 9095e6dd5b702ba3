import { expect, test } from "@jest/globals";
import { DEFAULT_OPTIONS, type RunningRow } from "@tickwheel/core";
import { ManualClock } from "@tickwheel/testing";
import { Executions, type WayToClaim } from "../held/executions.js";
import type { EngineContext } from "../runtime/engine-context.js";
import { Reconciler } from "./reconciler.js";

const OWNER = "7";

/**
 * A reconciler of a node without executions, and a store whose look at all rows takes `wholeMs`, two seconds at most.
 */
function reconcilerOf(wholeMs: number) {
  const clock = new ManualClock();
  const looks: ("all" | readonly string[])[] = [];
  const rows: RunningRow[] = [];
  const released: string[] = [];
  const runningUnder = async (_owner: string, ids?: readonly string[]): Promise<RunningRow[]> => {
    looks.push(ids ?? "all");
    if (ids !== undefined) return rows.filter(({ id }) => ids.includes(id));
    await new Promise<void>((resolve) => clock.setTimer(Math.min(wholeMs, 2_000), resolve));
    if (wholeMs > 2_000) throw new Error("no answer in time");
    return [...rows];
  };
  const release = async (releases: { id: string }[]) => {
    for (const { id } of releases) {
      released.push(id);
      rows.splice(
        rows.findIndex((row) => row.id === id),
        1,
      );
    }
    return [];
  };
  const health = { isPostgresAway: false };
  const tasks = { runningUnder, release };
  const telemetry = { emit: () => undefined };
  const context = { clock, health, tasks, telemetry, options: DEFAULT_OPTIONS } as unknown as EngineContext;
  const executions = new Executions();
  const parts = { membership: { bootId: OWNER }, executions, publish: () => undefined };
  const reconciler = new Reconciler(context, parts as unknown as ConstructorParameters<typeof Reconciler>[1]);
  /** Looks, and waits for the interval. */
  const look = async (): Promise<void> => {
    const run = reconciler.runOnce().catch(() => undefined);
    await clock.advance(DEFAULT_OPTIONS.reconcileIntervalMs);
    await run;
  };
  const loseClaim = (...ids: string[]): void =>
    executions.claimLost(executions.claimSent(ids.map((id) => ({ id }) as WayToClaim)));
  const runsUnknown = (id: string): void => void rows.push({ id, fence: 1, cancelRequested: false });
  return { clock, health, look, looks, released, executions, loseClaim, runsUnknown };
}

test("a reconciler looks at all rows each time while that is fast", async () => {
  const { look, looks } = reconcilerOf(5);
  for (let time = 0; time < 3; time++) await look();
  expect(looks).toEqual(["all", "all", "all"]);
});

test("a reconciler asks by id where a look at all rows fails, and for all rows once a minute", async () => {
  const { look, looks, loseClaim } = reconcilerOf(9_000);
  loseClaim("a");
  for (let time = 0; time < 15; time++) await look();
  expect(looks.filter((ids) => ids === "all")).toHaveLength(2);
  expect(looks[1]).toEqual(["a"]);
});

test("a reconciler that asks by id gives back a task whose claim got no answer, also where its commit came late", async () => {
  const { look, released, loseClaim, runsUnknown } = reconcilerOf(9_000);
  await look();
  loseClaim("a", "late");
  runsUnknown("a");
  await look();
  expect(released).toEqual(["a"]);
  for (let time = 0; time < 8; time++) await look();
  runsUnknown("late");
  await look();
  expect(released).toEqual(["a", "late"]);
});

test("a reconciler that asks by id forgets a lost claim after a minute", async () => {
  const { look, looks, executions, loseClaim } = reconcilerOf(9_000);
  await look();
  loseClaim("a");
  await look();
  expect(executions.inDoubt()).toEqual(["a"]);
  for (let time = 0; time < 14; time++) await look();
  expect(executions.inDoubt()).toEqual([]);
  expect(looks.at(-1)).toEqual([]);
});

test("a reconciler looks at all rows while Postgres is away", async () => {
  const { look, looks, health } = reconcilerOf(9_000);
  health.isPostgresAway = true;
  for (let time = 0; time < 3; time++) await look();
  expect(looks).toEqual(["all", "all", "all"]);
});
