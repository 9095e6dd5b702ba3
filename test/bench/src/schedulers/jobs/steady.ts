import type { Job } from "../job.js";
import { schedulerNames } from "../contestants/contestants.js";
import { databaseFigures, EXPLAINS_DATABASE_WORK } from "../database-work.js";
import { sampleOf } from "../sample.js";
import { fillBacklog } from "./backlog.js";
import { fire } from "./firing.js";

const FULL = { durationMs: 20_000, limitMs: 15_000 };
const QUICK = { durationMs: 2_000, limitMs: 10_000 };

export const steady: Job = {
  name: "steady",
  summary: "lateness at a steady rate",
  explains: `how late tasks start that are due at --rate per second for 20 s, while --pending tasks that are not due are in the store. All are
  created, and the tables vacuumed, before the first is due. perSecond is what started in the time from the first due time to the last end.
  cores                   CPU of all processes while tasks fire, history included, in cores
  postgresCores           Postgres' share of it
  ${EXPLAINS_DATABASE_WORK}.
                          What a node writes that waits for its next task is in them
  unfinished              tasks still in the store 15 s after the last due time, where a contestant cannot keep up`,
  peers: schedulerNames,
  defaults: { rate: 1_000, pending: 200_000, schedules: 0 },
  quick: { rate: 200, pending: 1_000 },
  async measure(stage, { rate, pending, isQuick }) {
    const { durationMs, limitMs } = isQuick ? QUICK : FULL;
    const node = await stage.enter();
    const backlog = await fillBacklog(stage, node, pending);
    const count = Math.round((rate * durationMs) / 1_000);
    const fired = await fire(stage, { nodes: [node], backlog, count, everyMs: 1_000 / rate, limitMs });
    const { verdict, cpu, database, unfinished, elapsedMs } = fired;
    const { lost, early, duplicates, latenessMs } = verdict;
    const cores = (seconds: number): number => (seconds / elapsedMs) * 1_000;
    return sampleOf({
      lost,
      early,
      duplicates,
      latenessMs,
      cpuSeconds: cpu.all,
      perSecond: (verdict.started / elapsedMs) * 1_000,
      figures: {
        tasks: count,
        cores: cores(cpu.all),
        postgresCores: cores(cpu.postgres),
        ...databaseFigures(database, count - unfinished),
        unfinished,
      },
    });
  },
};
