import { withPostgres } from "../contestants/contestants.js";
import type { CallReport } from "../contestants/contestant-commands.js";
import { databaseFigures, EXPLAINS_DATABASE_WORK } from "../database-work.js";
import type { Job } from "../job.js";
import type { SchedulerOptions } from "../options.js";
import { type Sample, sampleOf } from "../sample.js";
import { cpuFigures, type Stage } from "../stage.js";
import { latenessOf } from "../verdict.js";
import { FAR_AWAY_MS } from "./spans.js";

const CALLERS = 64;
const FULL = { warmUpMs: 1_000, durationMs: 5_000 };
const QUICK = { warmUpMs: 100, durationMs: 400 };

const EXPLAINS = `tasks created per second, each call awaited, for 5 s after a second of warming up.
  A worker runs beside the callers, as in an application; nothing is due. "postgres" is the bare group commit.
  callP50Ms, callP99Ms    what one call takes
  cpuMicrosPerTask        of all processes together; node… and server… are its parts
  ${EXPLAINS_DATABASE_WORK}`;

export const create: Job = {
  name: "create",
  summary: "creates by 64 concurrent callers",
  explains: `64 concurrent callers: ${EXPLAINS}`,
  peers: withPostgres,
  defaults: { schedules: 0 },
  quick: {},
  measure: (stage, options) => measureCreates(stage, options, CALLERS),
};

export const createOne: Job = {
  name: "create-one",
  summary: "creates by a lone caller",
  explains: `a lone caller: ${EXPLAINS}`,
  peers: withPostgres,
  defaults: {},
  quick: {},
  measure: (stage, options) => measureCreates(stage, options, 1),
};

async function measureCreates(stage: Stage, { isQuick }: SchedulerOptions, callers: number): Promise<Sample> {
  const { warmUpMs, durationMs } = isQuick ? QUICK : FULL;
  const contestant = await stage.enter();
  await stage.servers.tidy();
  const dueAt = Math.ceil(stage.clock.now()) + FAR_AWAY_MS;
  const warmUp = await contestant.ask("create", { callers, durationMs: warmUpMs, first: 0, dueAt });
  const calls = { callers, durationMs, first: warmUp.calls, dueAt };
  const { done: report, cpu, database } = await stage.whatUses(contestant, () => contestant.ask("create", calls));
  const missing = warmUp.calls + report.calls - (await contestant.ask("pending"));
  return sampleOf({
    perSecond: (report.calls / report.elapsedMs) * 1_000,
    lost: Math.max(0, missing),
    duplicates: Math.max(0, -missing),
    cpuSeconds: cpu.all,
    figures: {
      tasks: report.calls,
      ...callFigures(report),
      ...cpuFigures(cpu, report.calls),
      ...databaseFigures(database, report.calls),
    },
  });
}

/** The times of calls, as figures. */
export function callFigures({ callMs }: CallReport): Record<string, number> {
  const took = latenessOf(callMs.sort());
  return took ? { callP50Ms: took.p50, callP99Ms: took.p99 } : {};
}
