import { setTimeout as wait } from "node:timers/promises";
import type { MixedReport, TaskSeries } from "../contestants/contestant-commands.js";
import type { ContestantProcess } from "../contestants/contestant-process.js";
import type { Job } from "../job.js";
import { sampleOf } from "../sample.js";
import { cpuSince, type Stage } from "../stage.js";
import { judge, type Lateness, latenessOf } from "../verdict.js";
import { FAR_AWAY_MS } from "./spans.js";

const FULL_MS = 10_000;
const QUICK_MS = 1_000;
/** The time between a creation and the first due time. */
const AHEAD_MS = 3_000;
/** The time for remaining starts after a phase. */
const REST_MS = 1_000;
const HELD_KEY = "held";
/** The key is held for this time and then free for as long, in all phases. */
const SECOND_KEY = "second";
const SECOND_HOLD_MS = 200;

function holdOf(key: string): string {
  return `SELECT FROM tickwheel.task WHERE key = '${key}' FOR UPDATE`;
}

export const heldKey: Job = {
  name: "held-key",
  summary: "whether one open transaction delays anybody else",
  explains: `ours: four callers each of creates, of creates under keys and of cancels, each 5 ms after its last call, and --rate tasks due per
  second, for 10 s; then the same while a transaction of somebody else's holds the row of a key for all the time, whose task falls due, and
  four more callers schedule under that key. In both somebody else holds a second key for ${SECOND_HOLD_MS} ms and leaves it alone as long, again and again, and
  four callers schedule under that. Each figure with nothing held for long, and "Held":
  createP99Ms, createKeyedP99Ms, cancelP99Ms    what a call takes
  secondKeyP99Ms                                what a call under the second key takes, its holder's time counted
  latenessP99Ms                                 of the tasks that are due`,
  peers: ["tickwheel"],
  defaults: { rate: 500 },
  quick: { rate: 100 },
  async measure(stage, { rate, isQuick }) {
    const durationMs = isQuick ? QUICK_MS : FULL_MS;
    const node = await stage.enter();
    for (const key of [HELD_KEY, SECOND_KEY]) {
      await node.ask("createKeyed", { key, dueAt: stage.clock.now() + FAR_AWAY_MS });
    }
    const before = stage.cpu();
    // The first one warms everything up.
    await phase(stage, node, { rate, durationMs: durationMs / 2, first: 0 });
    const free = await phase(stage, node, { rate, durationMs, first: rate * durationMs });
    await node.ask("createKeyed", { key: HELD_KEY, dueAt: Math.ceil(stage.clock.now()) + AHEAD_MS });
    const release = await stage.servers.hold(holdOf(HELD_KEY));
    const held = await phase(stage, node, { rate, durationMs, first: 2 * rate * durationMs });
    await release();
    const figures = Object.entries(free.p99Ms).map(([name, p99Ms]) => [
      [`${name}P99Ms`, p99Ms],
      [`${name}P99MsHeld`, held.p99Ms[name]!],
    ]);
    return sampleOf({
      latenessMs: held.latenessMs,
      lost: free.lost + held.lost,
      early: free.early + held.early,
      duplicates: free.duplicates + held.duplicates,
      cpuSeconds: cpuSince(before, stage.cpu()).all,
      figures: Object.fromEntries(figures.flat()) as Record<string, number>,
    });
  },
};

const KEYS = { crowdedKey: HELD_KEY, secondKey: SECOND_KEY };

/** Waits for `work`, and holds the second key every now and then until it is done. */
async function besideShortHolds<Result>(stage: Stage, work: Promise<Result>): Promise<Result> {
  let isOver = false;
  const end = (): boolean => (isOver = true);
  work.then(end, end);
  while (!isOver) {
    const release = await stage.servers.hold(holdOf(SECOND_KEY));
    await wait(SECOND_HOLD_MS);
    await release();
    await wait(SECOND_HOLD_MS);
  }
  return work;
}

interface Phase {
  readonly rate: number;
  readonly durationMs: number;
  /** The number of its first task. */
  readonly first: number;
}

async function phase(stage: Stage, node: ContestantProcess, { rate, durationMs, first }: Phase) {
  const dueAt = Math.ceil(stage.clock.now()) + AHEAD_MS;
  const series: TaskSeries = { first, count: (rate * durationMs) / 1_000, dueAt, everyMs: 1_000 / rate };
  await node.ask("bulk", { series });
  await wait(dueAt - stage.clock.now());
  const load = { durationMs, dueAt: Math.ceil(stage.clock.now()) + FAR_AWAY_MS, ...KEYS };
  const report = await besideShortHolds(stage, node.ask("mixed", load));
  await wait(REST_MS);
  const runs = [await node.ask("takeRuns")];
  const verdict = judge(runs, series, { offsetMs: stage.clock.offsetMs, pending: 0 });
  return { ...verdict, p99Ms: p99Of(report, verdict.latenessMs) };
}

function p99Of(report: MixedReport, lateness: Lateness | null): Record<string, number> {
  const { create, createKeyed, cancel, secondKey } = report;
  const calls = Object.entries({ create, createKeyed, cancel, secondKey }).map(([name, callMs]) => [
    name,
    latenessOf(callMs.sort()),
  ]);
  const all = [...calls, ["lateness", lateness]] as [string, Lateness | null][];
  return Object.fromEntries(all.map(([name, took]) => [name, took?.p99 ?? Number.NaN]));
}
