import { setTimeout as wait } from "node:timers/promises";
import type { TaskSeries } from "../contestants/contestant-commands.js";
import type { ContestantProcess } from "../contestants/contestant-process.js";
import { monoMs } from "../contestants/host-clock.js";
import type { Job } from "../job.js";
import { type Sample, sampleOf } from "../sample.js";
import { cpuSince, type Stage } from "../stage.js";
import { judge } from "../verdict.js";
import { fillBacklog } from "./backlog.js";
import { streamFigures } from "./stream-viewers.js";
import { fillFinished, finishedKey, HOT, RARE_TYPE } from "./finished-tasks.js";
import { figureViews, listView, Viewing, type Views } from "../viewing.js";

const FULL_MS = 20_000;
const QUICK_MS = 2_000;
const VIEWERS = 10;
/** As long without viewers of the stream as with them. */
const STREAM_MS = 30_000;
/** The time between a creation and the first due time, and the time for remaining starts after a phase. */
const AHEAD_MS = 8_000;
const REST_MS = 1_000;

export const reads: Job = {
  name: "reads",
  summary: "what people read beside the work, with much history",
  explains: `ours: --finished tasks in eight daily partitions (200 bytes of payload, a hundred types, one with 300 tasks; a five hundredth as many
  dead), --pending ones, and --rate tasks due per second, for 20 s without readers and for 20 s while ten viewers each ask once a second for
  everything that the page shows; then for a minute of streams. All repetitions take place on one store: 50,000,000 finished tasks take 35 GB of disk and half an hour to
  fill; try it with fewer. 95th percentile of each call:
  statsP95Ms, loginP95Ms                 GET /v1/stats; with a key that nobody has used before, refused
  newestP95Ms, liveP95Ms, deadP95Ms, typeP95Ms, rareP95Ms, keyP95Ms     pages of GET /v1/tasks
  hotKeyP95Ms                            the same of a type and a key that one in fifty of the finished tasks has
  cancelP95Ms                            POST /v1/tasks/cancel by a key that no task has
  findingsP95Ms, typesP95Ms, clusterP95Ms, history…P95Ms, forecast…P95Ms     what the page shows of the cluster, the past and the future
  statsMaxMs, figuresMaxMs               the dearest look at the statistics, and at the findings and figures: mostly the first
  streamNodePercent, streamServersPercent     what ten viewers of GET /v1/stream cost the idle node, and Postgres and Redis, in percent of a core,
                                         within 30 s beside 30 s without them (idleNodePercent); streamBytesPerSecond: each viewer gets
  latenessP99MsAlone                     of the tasks that are due, without readers; lateness is with them`,
  peers: ["tickwheel"],
  defaults: { rate: 1_000, pending: 1_000_000, finished: 50_000_000 },
  quick: { rate: 100, pending: 1_000, finished: 20_000 },
  repeatsOnStage: true,
  async measure(stage, { rate, pending, finished, isQuick, reps }) {
    const durationMs = isQuick ? QUICK_MS : FULL_MS;
    const node = await stage.enter({ serves: true });
    await fillFinished(stage.servers, finished);
    const backlog = await fillBacklog(stage, node, pending);
    const { port = 0 } = await node.ask("inspect");
    const samples: Sample[] = [];
    const phases = { rate, durationMs, node };
    for (let first = backlog.count; samples.length < reps; first += (2 * rate * durationMs) / 1_000) {
      const viewing = new Viewing(port, viewsOf(finished), { count: VIEWERS });
      samples.push(await round(stage, { ...phases, first, port, streamMs: isQuick ? QUICK_MS : STREAM_MS }, viewing));
    }
    return samples;
  },
};

function viewsOf(finished: number): Views {
  return {
    stats: { path: "/v1/stats", status: 200 },
    newest: listView("limit=50"),
    live: listView("live=true"),
    dead: listView("state=dead"),
    type: listView("type=bench.t7"),
    rare: listView(`type=${RARE_TYPE}`),
    key: listView(`key=${finishedKey(finished)}`),
    hotKey: listView(`type=${HOT.type}&key=${HOT.key}`),
    ...figureViews(),
    cancel: { path: "/v1/tasks/cancel", body: { type: "bench.t7", key: "nobody's" }, status: 404 },
  };
}

interface Phase {
  readonly node: ContestantProcess;
  readonly rate: number;
  readonly durationMs: number;
  /** The number of its first task. */
  readonly first: number;
}

/** Without readers, then with them, then with streams. */
async function round(
  stage: Stage,
  { port, streamMs, ...phases }: Phase & { port: number; streamMs: number },
  viewing: Viewing,
): Promise<Sample> {
  const before = stage.cpu();
  const alone = await phase(stage, phases, null);
  const beside = await phase(stage, { ...phases, first: phases.first + alone.count }, viewing);
  const streams = await streamFigures(stage, { port, viewers: VIEWERS, durationMs: streamMs });
  return sampleOf({
    latenessMs: beside.latenessMs,
    lost: alone.lost + beside.lost,
    early: alone.early + beside.early,
    duplicates: alone.duplicates + beside.duplicates,
    cpuSeconds: cpuSince(before, stage.cpu()).all,
    figures: { latenessP99MsAlone: alone.latenessMs?.p99 ?? Number.NaN, ...viewing.figures(), ...streams },
  });
}

/** @param viewing who reads meanwhile */
async function phase(stage: Stage, { node, rate, durationMs, first }: Phase, viewing: Viewing | null) {
  const dueAt = Math.ceil(stage.clock.now()) + AHEAD_MS + durationMs / 4;
  const series: TaskSeries = { first, count: (rate * durationMs) / 1_000, dueAt, everyMs: 1_000 / rate };
  await node.ask("bulk", { series });
  await wait(dueAt - stage.clock.now());
  const endMonoMs = monoMs() + durationMs;
  await Promise.all([wait(durationMs), viewing?.run(() => monoMs() >= endMonoMs)]);
  await wait(REST_MS);
  const verdict = judge([await node.ask("takeRuns")], series, { offsetMs: stage.clock.offsetMs, pending: 0 });
  return { ...verdict, count: series.count };
}
