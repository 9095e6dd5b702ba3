import { setTimeout as wait } from "node:timers/promises";
import type { ContestantProcess } from "../contestants/contestant-process.js";
import type { Job } from "../job.js";
import { withPostgres } from "../contestants/contestants.js";
import { sampleOf } from "../sample.js";
import type { Stage } from "../stage.js";
import { fillBacklog } from "./backlog.js";

/** The time after which Redis has written its log. */
const LOG_WRITTEN_MS = 2_000;

/** Tasks that our wheel shall hold: due late enough to be created before, and soon enough to be loaded. */
const SOON_COUNT = 10_000;
const SOON_MS = 14_000;
const LOOKED_BEFORE_MS = 2_000;

export const footprint: Job = {
  name: "footprint",
  summary: "bytes per pending task",
  explains: `what --pending tasks (200 bytes of payload) take that are not due, per task, tables vacuumed:
  postgresBytes           tables with all indexes
  indexBytes              the indexes' share of it
  redisBytes, logBytes    memory of Redis, and its append-only file
  nodeBytes               growth of the resident memory of the worker; another process has created the tasks
  wheelBytes              of ours: wheel and side table, per task that is due within seconds`,
  peers: withPostgres,
  defaults: { pending: 200_000 },
  quick: { pending: 2_000 },
  async measure(stage, { pending }) {
    const worker = await stage.enter();
    const client = await stage.enter({ works: false });
    await stage.servers.tidy();
    const before = await sizes(stage);
    const { rssBytes: rssBefore = 0 } = await worker.ask("inspect");
    const cpuBefore = stage.cpu();
    await fillBacklog(stage, client, pending);
    await wait(LOG_WRITTEN_MS);
    const after = await sizes(stage);
    const { rssBytes: rssAfter = 0 } = await worker.ask("inspect");
    const growth = Object.keys(after).map((name) => [name, ((after[name] ?? 0) - (before[name] ?? 0)) / pending]);
    return sampleOf({
      cpuSeconds: stage.cpu().all - cpuBefore.all,
      lost: Math.max(0, pending - (await worker.ask("pending"))),
      figures: {
        tasks: pending,
        ...Object.fromEntries(growth),
        nodeBytes: (rssAfter - rssBefore) / pending,
        ...(await wheelFigures(stage, worker, client)),
      },
    });
  },
};

/** The memory of our wheel for tasks that are due soon; the other schedulers have no wheel. */
async function wheelFigures(
  { subject, clock }: Stage,
  worker: ContestantProcess,
  client: ContestantProcess,
): Promise<Record<string, number>> {
  if (subject.peer !== "tickwheel") return {};
  const before = await worker.ask("inspect");
  const dueAt = Math.ceil(clock.now()) + SOON_MS;
  await client.ask("bulk", { series: { first: 0, count: SOON_COUNT, dueAt, everyMs: 0 } });
  await wait(dueAt - LOOKED_BEFORE_MS - clock.now());
  const after = await worker.ask("inspect");
  const entries = after["wheelEntries"]! - before["wheelEntries"]!;
  const bytes = after["wheelBytes"]! - before["wheelBytes"]!;
  return entries > 0 ? { wheelBytes: bytes / entries } : {};
}

async function sizes({ servers }: Stage): Promise<Record<string, number>> {
  const postgres = await servers.postgresBytes();
  const redis = await servers.redisBytes();
  return {
    postgresBytes: postgres.all,
    indexBytes: postgres.indexes,
    redisBytes: redis.memory,
    logBytes: redis.log,
  };
}
