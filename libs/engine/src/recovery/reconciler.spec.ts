import { expect, test } from "@jest/globals";
import { DEFAULT_OPTIONS, type RunningRow } from "@tickwheel/core";
import { ManualClock } from "@tickwheel/testing";
import { Executions, type WayToClaim } from "../held/executions.js";
import type { EngineContext } from "../runtime/engine-context.js";
import { Reconciler } from "./reconciler.js";

const OWNER = "7";

/**
 * A reconciler of a node without executions, and a store whose look at all rows takes so long, two seconds at most.
 */
function reconcilerOf(firstWholeMs: number) {
  let wholeMs = firstWholeMs;
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
  const setWholeMs = (ms: number): void => void (wholeMs = ms);
  return { clock, health, look, looks, released, executions, loseClaim, runsUnknown, setWholeMs };
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

test("a reconciler asks by id for the tasks of a lost claim for a minute, also behind a look at all rows", async () => {
  const { look, looks, released, loseClaim, runsUnknown, setWholeMs } = reconcilerOf(1_500);
  loseClaim("a");
  await look();
  setWholeMs(9_000);
  await look();
  expect(looks).toEqual(["all", ["a"]]);
  // The network has delivered the claim behind both looks.
  runsUnknown("a");
  await look();
  await look();
  expect(released).toEqual(["a"]);
  for (let time = 0; time < 10; time++) await look();
  expect(looks.at(-1)).toEqual([]);
});

test("a reconciler asks by id for a row that only a claim in flight held at the look before", async () => {
  const { look, released, executions, loseClaim, runsUnknown, setWholeMs } = reconcilerOf(1_500);
  loseClaim("a");
  runsUnknown("a");
  const claim = executions.claimSent([{ id: "a" } as WayToClaim]);
  // A look at all rows, which ends the doubt, and takes so long that the next one goes by id.
  await look();
  expect(released).toEqual([]);
  executions.claimOver(claim);
  setWholeMs(9_000);
  await look();
  expect(released).toEqual(["a"]);
});

test("a reconciler looks at all rows while Postgres is away", async () => {
  const { look, looks, health } = reconcilerOf(9_000);
  health.isPostgresAway = true;
  for (let time = 0; time < 3; time++) await look();
  expect(looks).toEqual(["all", "all", "all"]);
});
