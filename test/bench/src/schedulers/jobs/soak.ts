import { setTimeout as wait } from "node:timers/promises";
import { failsFirst } from "../contestants/contestant.js";
import { dueAtOf, type TaskSeries } from "../contestants/contestant-commands.js";
import type { ContestantProcess } from "../contestants/contestant-process.js";
import type { Job } from "../job.js";
import type { Runs } from "../contestants/run-log.js";
import { type CurvePoint, sampleOf } from "../sample.js";
import { cpuSince, type Stage } from "../stage.js";
import { judge, type Lateness, latenessOf } from "../verdict.js";

/** How long ahead tasks are created: beyond the horizon of a node's wheel. */
const AHEAD_MS = 20_000;
/** Creations lag behind at most so much. */
const MOST_LAG_MS = 5_000;
const STEP_MS = 100;
const CANCEL_EVERY = 10;
const CANCEL_CALLERS = 16;
const END_LIMIT_MS = 60_000;
/** From then on everything is to be level. */
const LEVEL_FROM_MINUTE = 10;
const MEBIBYTE = 1_048_576;

export const soak: Job = {
  name: "soak",
  summary: "whether everything stays level for long",
  explains: `ours, for --minutes: tasks are created at --rate per second, each due 20 s later; one in ten is cancelled, one in twenty fails at
  its first attempt and is tried again. By the minute, in the curve: lateness of first starts, resident memory of the node, sizes of the
  live table (with indexes) and of history, MultiXacts per second.
  worstP99Ms              of all minutes
  rssGrowth, tableGrowth  the last value divided by that after ten minutes (or after the first)
perSecond is what started.`,
  peers: ["tickwheel"],
  defaults: { rate: 2_000, minutes: 60 },
  quick: { rate: 100, minutes: 1 },
  async measure(stage, { rate, minutes }) {
    const node = await stage.enter({ handler: "fails" });
    const before = stage.cpu();
    const series: TaskSeries = {
      first: 0,
      count: Math.round(rate * minutes * 60),
      dueAt: Math.ceil(stage.clock.now()) + AHEAD_MS,
      everyMs: 1_000 / rate,
    };
    const watch = new SoakWatch(stage, node, series);
    await Promise.all([createAll(stage, node, series), watch.until(dueAtOf(series, series.count))]);
    const pending = await untilEnded(stage, node);
    await watch.look();
    const { latenessMs, early, duplicates, started } = judge(watch.runs, series, {
      offsetMs: stage.clock.offsetMs,
      pending,
    });
    const retries = Array.from({ length: 20 }, (_, n) => failsFirst(n)).filter(Boolean).length / 20;
    const tasks = series.count * (1 - 1 / CANCEL_EVERY);
    return sampleOf({
      perSecond: started / (minutes * 60),
      latenessMs,
      early,
      lost: Math.max(0, tasks - started - pending),
      duplicates: Math.max(0, duplicates - series.count * retries),
      cpuSeconds: cpuSince(before, stage.cpu()).all,
      figures: { tasks, unfinished: pending, ...levelOf(watch.curve) },
      curve: watch.curve,
    });
  },
};

/** Creates what is due in `AHEAD_MS`, step by step, and cancels one in ten of it. */
async function createAll({ clock }: Stage, node: ContestantProcess, series: TaskSeries): Promise<void> {
  const perStep = Math.round(STEP_MS / series.everyMs);
  for (let first = 0; first < series.count; first += perStep) {
    const dueAt = dueAtOf(series, first);
    const lagMs = clock.now() - (dueAt - AHEAD_MS);
    if (lagMs > MOST_LAG_MS)
      throw new Error(`creations are ${Math.round(lagMs)} ms behind: the rate is too high for this machine`);
    if (lagMs < 0) await wait(-lagMs);
    const count = Math.min(perStep, series.count - first);
    await node.ask("bulk", { series, part: { first, count }, keepsIds: true });
    await node.ask("cancel", { callers: CANCEL_CALLERS, every: CANCEL_EVERY });
  }
}

/** @returns how many tasks are left when the limit is reached */
function untilEnded(stage: Stage, node: ContestantProcess): Promise<number> {
  const limit = { limitAt: stage.clock.now() + END_LIMIT_MS, everyMs: STEP_MS };
  const pending = (): Promise<number> => node.ask("pending");
  return stage.lookUntil(limit, pending, (left) => left === 0);
}

/** Looks at everything once a minute. */
class SoakWatch {
  readonly curve: CurvePoint[] = [];
  readonly runs: Runs[] = [];
  private readonly startedAt: number;
  private lastAt: number;
  private lastMultiXacts: number | null = null;

  constructor(
    private readonly stage: Stage,
    private readonly node: ContestantProcess,
    private readonly series: TaskSeries,
  ) {
    this.startedAt = stage.clock.now();
    this.lastAt = this.startedAt;
  }

  async until(endAt: number): Promise<void> {
    const { clock } = this.stage;
    while (clock.now() < endAt) {
      await wait(Math.max(0, Math.min(60_000, endAt - clock.now())));
      await this.look();
    }
  }

  async look(): Promise<void> {
    const { clock, servers } = this.stage;
    const runs = await this.node.ask("takeRuns");
    this.runs.push(runs);
    const { rssBytes = 0 } = await this.node.ask("inspect");
    const multiXacts = await servers.multiXacts();
    const now = clock.now();
    const sinceS = (now - this.lastAt) / 1_000;
    const { p50 = 0, p99 = 0, max = 0 }: Partial<Lateness> = this.lateness(runs) ?? {};
    this.curve.push({
      minute: (now - this.startedAt) / 60_000,
      p50Ms: p50,
      p99Ms: p99,
      maxMs: max,
      rssMebibytes: rssBytes / MEBIBYTE,
      tableMebibytes: (await servers.tableBytes("tickwheel.task")) / MEBIBYTE,
      databaseMebibytes: (await servers.postgresBytes()).all / MEBIBYTE,
      multiXactsPerSecond: this.lastMultiXacts === null ? 0 : (multiXacts - this.lastMultiXacts) / sinceS,
    });
    [this.lastAt, this.lastMultiXacts] = [now, multiXacts];
  }

  /** The lateness of tasks that are not meant to start twice. */
  private lateness({ numbers, atMonoMs }: Runs): Lateness | null {
    const { offsetMs } = this.stage.clock;
    const late = atMonoMs
      .map((at, i) => (failsFirst(numbers[i]!) ? Number.NaN : at + offsetMs - dueAtOf(this.series, numbers[i]!)))
      .filter((ms) => !Number.isNaN(ms));
    return latenessOf(late.sort());
  }
}

/** What the goals are about, out of a curve. */
function levelOf(curve: readonly CurvePoint[]): Record<string, number> {
  const start = curve.find(({ minute }) => minute >= LEVEL_FROM_MINUTE) ?? curve[0]!;
  const end = curve.at(-1)!;
  const growth = (name: string): number => (start[name] ? end[name]! / start[name] : 1);
  return {
    worstP99Ms: Math.max(...curve.map((point) => point["p99Ms"]!)),
    rssGrowth: growth("rssMebibytes"),
    tableGrowth: growth("tableMebibytes"),
    multiXactsPerSecond: end["multiXactsPerSecond"]!,
  };
}
