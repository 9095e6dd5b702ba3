import { setTimeout as wait } from "node:timers/promises";
import type { Operated, TaskSeries } from "../contestants/contestant-commands.js";
import type { ContestantProcess } from "../contestants/contestant-process.js";
import type { Job } from "../job.js";
import { sampleOf } from "../sample.js";
import { cpuSince, type Stage } from "../stage.js";
import { judge, type Verdict } from "../verdict.js";
import { FAR_AWAY_MS } from "./spans.js";

const FULL = { freeMs: 10_000, mostMs: 60_000 };
const QUICK = { freeMs: 1_000, mostMs: 10_000 };
/** Between the creation of a series and its first due time: all of it is loaded by then. */
const AHEAD_MS = 3_000;
/** For remaining starts. */
const REST_MS = 1_000;

export const operations: Job = {
  name: "operations",
  summary: "what an operation on many tasks costs those that start beside it",
  explains: `ours: --pending tasks that are due in a day are cancelled by one operation, and then put back by its undo, while --rate tasks a second
  are due on the same node, which also carries both out. Before that the same tasks are due with nothing beside them, for 10 s.
  perSecond               tasks that the operation has cancelled, from its start to its end
  undonePerSecond         tasks that its undo has put back
  lateness…               of the tasks that are due: alone, beside the cancel, beside the undo
  longestTurn…            the longest turn of the node's event loop`,
  peers: ["tickwheel"],
  defaults: { rate: 100, pending: 50_000 },
  quick: { rate: 50, pending: 2_000 },
  async measure(stage, { rate, pending, isQuick }) {
    const { freeMs, mostMs } = isQuick ? QUICK : FULL;
    const node = await stage.enter();
    const far = { first: 0, count: pending, dueAt: Math.ceil(stage.clock.now()) + FAR_AWAY_MS, everyMs: 1 };
    await node.ask("bulk", { series: far });
    await stage.servers.checkpoint();
    const before = stage.cpu();
    const phase = new Phases(stage, node, { rate, first: pending });
    // The first one warms everything up.
    await phase.run(freeMs, () => wait(freeMs / 2));
    const alone = await phase.run(freeMs, () => wait(freeMs));
    const cancel = await phase.run(mostMs, () => node.ask("cancelFar", { dueFrom: far.dueAt }));
    const undo = await phase.run(mostMs, () => node.ask("undo"));
    const cpuSeconds = cpuSince(before, stage.cpu()).all;
    const left = await node.ask("pending");
    requireAll({ cancelled: cancel.done, undone: undo.done }, pending);
    const all = [alone, cancel, undo].map(({ whole }) => whole);
    const sum = (name: "lost" | "early" | "duplicates"): number => all.reduce((total, one) => total + one[name], 0);
    return sampleOf({
      perSecond: perSecond(cancel.done),
      latenessMs: cancel.beside.latenessMs,
      cpuSeconds,
      lost: sum("lost") + (pending - left),
      early: sum("early"),
      duplicates: sum("duplicates"),
      figures: {
        tasks: pending,
        undonePerSecond: perSecond(undo.done),
        ...figuresOf("Alone", alone),
        ...figuresOf("Cancel", cancel),
        ...figuresOf("Undo", undo),
      },
    });
  },
};

function requireAll(done: Record<string, Operated>, pending: number): void {
  for (const [name, { tasks }] of Object.entries(done))
    if (tasks !== pending) throw new Error(`${tasks} of ${pending} tasks were ${name}`);
}

function perSecond({ tasks, elapsedMs }: Operated): number {
  return (tasks / elapsedMs) * 1_000;
}

/** What was seen of the tasks that were due beside some work. */
interface Phase<Done> {
  readonly done: Done;
  /** The verdict on the tasks that were due until it was over. */
  readonly beside: Verdict;
  /** The verdict on all tasks. */
  readonly whole: Verdict;
  readonly longestTurnMs: number;
}

function figuresOf(name: string, { beside: { latenessMs }, longestTurnMs }: Phase<unknown>): Record<string, number> {
  return {
    ...(latenessMs && { [`latenessP50Ms${name}`]: latenessMs.p50, [`latenessP99Ms${name}`]: latenessMs.p99 }),
    [`longestTurnMs${name}`]: longestTurnMs,
  };
}

/** Tasks that are due at a steady rate, again and again, beside some work. */
class Phases {
  private first: number;

  constructor(
    private readonly stage: Stage,
    private readonly node: ContestantProcess,
    private readonly plan: { readonly rate: number; readonly first: number },
  ) {
    this.first = plan.first;
  }

  /** @param dueMs for so long tasks are due; work that takes less has those beside it that were due until its end */
  async run<Done>(dueMs: number, work: () => Promise<Done>): Promise<Phase<Done>> {
    const { stage, node, plan } = this;
    const { now, offsetMs } = { now: () => stage.clock.now(), offsetMs: stage.clock.offsetMs };
    const count = Math.ceil((dueMs / 1_000) * plan.rate);
    const series: TaskSeries = {
      first: this.first,
      count,
      dueAt: Math.ceil(now()) + AHEAD_MS,
      everyMs: 1_000 / plan.rate,
    };
    this.first += count;
    await node.ask("bulk", { series });
    await wait(series.dueAt - now());
    await node.ask("takeLongestTurn");
    const done = await work();
    const longestTurnMs = await node.ask("takeLongestTurn");
    const besideMs = now() - series.dueAt;
    await wait(series.dueAt + dueMs + REST_MS - now());
    const runs = [await node.ask("takeRuns")];
    const beside = { ...series, count: Math.min(count, Math.max(1, Math.floor(besideMs / series.everyMs))) };
    return {
      done,
      longestTurnMs,
      whole: judge(runs, series, { offsetMs, pending: 0 }),
      beside: judge(runs, beside, { offsetMs, pending: 0 }),
    };
  }
}
