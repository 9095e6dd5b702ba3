import { setTimeout as wait } from "node:timers/promises";
import { dueAtOf, type TaskSeries } from "../contestants/contestant-commands.js";
import { TASK_TYPE } from "../contestants/contestant.js";
import type { ContestantProcess } from "../contestants/contestant-process.js";
import type { Runs } from "../contestants/run-log.js";
import { heldFigures, isBack, joined, type Stretch, stretchFigures } from "../held-figures.js";
import type { Job } from "../job.js";
import { type Cells, sampleOf } from "../sample.js";
import { holderNames, holdSnapshot } from "../snapshot-hold.js";
import { cpuSince, type CpuShares, type Stage } from "../stage.js";
import { judge, latenessOf } from "../verdict.js";
import { listView, Viewing, type Views } from "../viewing.js";

/** How long ahead tasks are created: beyond the horizon of a node's wheel, so they are read from the table. */
const AHEAD_MS = 20_000;
const STEP_MS = 100;
/** Everything is compiled, and all connections are open. */
const WARM_MS = 10_000;
/** The time before the hold, at most. */
const BEFORE_MS = 120_000;
const MINUTE_MS = 60_000;
/** Often enough to see, seldom enough to cost little beside the work. */
const VIEW_EVERY_MS = 5_000;
/** A longer hold has longer stretches. */
const STRETCHES_AT_MOST = 10;
const RECOVERY_LOOK_MS = 5_000;
const RECOVERY_LIMIT_MS = 300_000;
const END_LIMIT_MS = 60_000;

export const heldSnapshot: Job = {
  name: "held-snapshot",
  summary: "what a snapshot that somebody holds costs",
  explains: `how a contestant does while no dead row of its tables can be removed. Tasks are created at --rate per second without a pause, each due
  20 s later: for up to two minutes with nothing held, for --minutes while the --holder holds, and after the release until p99 is at most
  1.5 times, or 10 ms more than, what it was, at most for five minutes. The holders: "transaction" has read at repeatable read, "prepared" is a
  prepared transaction, "standby" has a transaction that has read and hot_standby_feedback on, and the "slot" is that of such a standby that was
  stopped; it keeps the server's log, too, some gigabytes in ten minutes.
  By the minute, or the tenth part of a hold of more than ten: what started, how late, CPU of the contestant and of Postgres in cores, dead rows
  as Postgres estimates them, size of the tables; of ours also what a viewer sees who asks each five seconds for what the page shows.
  throughputHeld, throughputLast     in all the time held and in its last stretch, as a share of before
  p99Held, p99Last                   p99 as a multiple of before
  createP99Last, viewP99Last         of a call for --rate / 10 tasks, and of a viewer's request, in the last stretch as a multiple of before
  viewsRefused, createsRefused       a viewer's requests that were answered 503; calls for --rate / 10 tasks that failed and were made again
  beatAgeMs, told                    the oldest beat that the viewer saw; whether the findings told of the snapshot: 1 or 0
  nodeCpuLast, postgresCpuLast       CPU in the last stretch held as a multiple of before
  deadRows                           at the end of the hold
  recoveredAfterS                    after the release, looked at every 5 s; 300: not within five minutes
perSecond and the lateness are of the time held.`,
  peers: ["tickwheel", "pg-boss", "graphile-worker"],
  settings: ["best"],
  holders: holderNames,
  defaults: { rate: 1_000, minutes: 10 },
  quick: { rate: 200, minutes: 0.1 },
  async measure(stage, { rate, minutes, holder, isQuick }) {
    const node = await stage.enter({ serves: stage.subject.peer === "tickwheel" });
    const { port = 0 } = await node.ask("inspect");
    const feed = new Feed(stage, node, rate);
    const page = port > 0 ? new PageVisit(port) : null;
    const watch = new Watch(stage, node, { feed, page });
    const began = stage.cpu();
    const watched = async () => {
      try {
        return await watchAll({ stage, watch }, { heldMs: minutes * MINUTE_MS, holder: holder!, isQuick });
      } finally {
        feed.stop();
        page?.end();
      }
    };
    const [created, { before, held, cells, recoveredAfterS }] = await Promise.all([feed.run(), watched(), page?.run()]);
    const series = { ...feed.series, count: created };
    const pending = await untilEnded(stage, node, dueAtOf(series, created) + END_LIMIT_MS);
    await watch.look();
    const all = joined(held);
    const { lost, early, duplicates } = judge(watch.runs, series, { offsetMs: stage.clock.offsetMs, pending });
    return sampleOf({
      lost,
      early,
      duplicates,
      perSecond: all.lateMs.length / all.seconds,
      latenessMs: latenessOf(all.lateMs),
      cpuSeconds: cpuSince(began, stage.cpu()).all,
      figures: {
        tasks: created,
        ...heldFigures(before, held),
        ...page?.figures(),
        createsRefused: feed.refused,
        recoveredAfterS,
        unfinished: pending,
      },
      cells,
    });
  },
};

interface Plan {
  readonly heldMs: number;
  readonly holder: (typeof holderNames)[number];
  readonly isQuick: boolean;
}

/** The time before, the hold minute by minute, and the time after. */
async function watchAll({ stage, watch }: { stage: Stage; watch: Watch }, { heldMs, holder, isQuick }: Plan) {
  await watch.over(AHEAD_MS + (isQuick ? STEP_MS : WARM_MS));
  const before = await watch.over(Math.min(heldMs, BEFORE_MS));
  const release = await holdSnapshot(stage.servers, holder);
  const held: Stretch[] = [];
  const stretchMs = Math.max(MINUTE_MS, heldMs / STRETCHES_AT_MOST);
  try {
    // What making the holder took is nobody's.
    await watch.look();
    for (let leftMs = heldMs; leftMs > 0; leftMs -= stretchMs) held.push(await watch.over(Math.min(leftMs, stretchMs)));
  } finally {
    await release();
  }
  const after = await untilBack(watch, before);
  const minuteOf = (n: number): string => String(Math.round(((n + 1) * stretchMs) / MINUTE_MS));
  const cells: Cells = {
    before: stretchFigures(before),
    ...Object.fromEntries(held.map((stretch, n) => [`held ${minuteOf(n)}`, stretchFigures(stretch)])),
    after: stretchFigures(after),
  };
  return { before, held, cells, recoveredAfterS: after.seconds };
}

/** Looks until p99 is what it was, or the limit is reached. */
async function untilBack(watch: Watch, before: Stretch): Promise<Stretch> {
  const after: Stretch[] = [];
  const was = latenessOf(before.lateMs);
  for (let leftMs = RECOVERY_LIMIT_MS; leftMs > 0; leftMs -= RECOVERY_LOOK_MS) {
    const stretch = await watch.over(RECOVERY_LOOK_MS);
    after.push(stretch);
    if (isBack(was, latenessOf(stretch.lateMs))) break;
  }
  return { ...joined(after), seconds: Math.min(joined(after).seconds, RECOVERY_LIMIT_MS / 1_000) };
}

/** @returns how many tasks are left when the limit is reached */
function untilEnded(stage: Stage, node: ContestantProcess, limitAt: number): Promise<number> {
  return stage.lookUntil(
    { limitAt, everyMs: STEP_MS },
    () => node.ask("pending"),
    (left) => left === 0,
  );
}

/** Creates tasks, some every step, until it is stopped. */
class Feed {
  readonly series: TaskSeries;
  private isStopped = false;
  /** Calls that ended with an error. */
  refused = 0;
  private callMs: number[] = [];

  constructor(
    private readonly stage: Stage,
    private readonly node: ContestantProcess,
    rate: number,
  ) {
    const dueAt = Math.ceil(stage.clock.now()) + AHEAD_MS;
    this.series = { first: 0, count: Number.MAX_SAFE_INTEGER, dueAt, everyMs: 1_000 / rate };
  }

  /** @returns how many it has created */
  async run(): Promise<number> {
    const { series, stage } = this;
    const perStep = Math.max(1, Math.round(STEP_MS / series.everyMs));
    let first = 0;
    for (; !this.isStopped; first += perStep) {
      const earlyMs = dueAtOf(series, first) - AHEAD_MS - stage.clock.now();
      if (earlyMs > 0) await wait(earlyMs);
      await this.create({ first, count: perStep });
    }
    return first;
  }

  /** As a caller does who must not lose anything: what is refused is asked for again. */
  private async create(part: { first: number; count: number }): Promise<void> {
    for (;;) {
      try {
        this.callMs.push(...(await this.node.ask("bulk", { series: this.series, part })).callMs);
        return;
      } catch (error) {
        if (this.isStopped) throw error;
        this.refused++;
        await wait(STEP_MS);
      }
    }
  }

  /** What its calls since the last call of this took. */
  take(): number[] {
    const { callMs } = this;
    this.callMs = [];
    return callMs;
  }

  stop(): void {
    this.isStopped = true;
  }
}

/** Somebody has the page open. */
class PageVisit {
  private readonly viewing: Viewing;
  private isOver = false;
  private oldestMs = 0;
  private isTold = false;

  constructor(port: number) {
    const views: Views = {
      stats: { path: "/v1/stats", status: 200 },
      newest: listView("limit=50"),
      live: listView("live=true"),
      findings: { path: "/v1/findings", status: 200, onAnswer: (answer) => this.seeFindings(answer) },
      cluster: { path: "/v1/cluster", status: 200, onAnswer: (answer) => this.seeCluster(answer) },
      cancel: { path: "/v1/tasks/cancel", body: { type: TASK_TYPE, key: "nobody's" }, status: 404 },
    };
    this.viewing = new Viewing(port, views, { count: 1, everyMs: VIEW_EVERY_MS, countsRefusals: true });
  }

  run(): Promise<void> {
    return this.viewing.run(() => this.isOver);
  }

  end(): void {
    this.isOver = true;
  }

  /** Since the last call of this. */
  take(): Pick<Stretch, "viewMs" | "beatAgeMs"> {
    const beatAgeMs = this.oldestMs;
    this.oldestMs = 0;
    return { viewMs: this.viewing.take(), beatAgeMs };
  }

  figures(): Record<string, number> {
    return { told: this.isTold ? 1 : 0, viewsRefused: this.viewing.refused };
  }

  private seeFindings(answer: unknown): void {
    this.isTold ||= (answer as { now: { code: string }[] }).now.some(({ code }) => code === "SNAPSHOT_HELD");
  }

  private seeCluster(answer: unknown): void {
    const { nodes } = answer as { nodes: { heartbeatAgeMs: number }[] };
    this.oldestMs = Math.max(this.oldestMs, ...nodes.map(({ heartbeatAgeMs }) => heartbeatAgeMs));
  }
}

/** What happens between two looks. */
class Watch {
  readonly runs: Runs[] = [];
  private lastAt: number;
  private lastCpu: CpuShares;

  constructor(
    private readonly stage: Stage,
    private readonly node: ContestantProcess,
    private readonly seen: { feed: Feed; page: PageVisit | null },
  ) {
    this.lastAt = stage.clock.now();
    this.lastCpu = stage.cpu();
  }

  async over(ms: number): Promise<Stretch> {
    await wait(ms);
    return this.look();
  }

  /** All since the last look. */
  async look(): Promise<Stretch> {
    const { stage, lastAt, lastCpu } = this;
    const { feed, page } = this.seen;
    const runs = await this.node.ask("takeRuns");
    this.runs.push(runs);
    const cpu = stage.cpu();
    const used = cpuSince(lastCpu, cpu);
    const now = stage.clock.now();
    [this.lastAt, this.lastCpu] = [now, cpu];
    const { offsetMs } = stage.clock;
    const lateMs = runs.atMonoMs.map((at, i) => at + offsetMs - dueAtOf(feed.series, runs.numbers[i]!)).sort();
    return {
      seconds: (now - lastAt) / 1_000,
      lateMs,
      nodeSeconds: used.contestant,
      postgresSeconds: used.postgres,
      ...(page?.take() ?? { viewMs: [], beatAgeMs: 0 }),
      createMs: feed.take(),
      deadRows: await stage.servers.deadRows(),
      tableBytes: (await stage.servers.postgresBytes()).all,
    };
  }
}
