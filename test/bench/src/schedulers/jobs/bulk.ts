import { withPostgres } from "../contestants/contestants.js";
import { databaseFigures, EXPLAINS_DATABASE_WORK } from "../database-work.js";
import type { Job } from "../job.js";
import { sampleOf } from "../sample.js";
import { cpuFigures } from "../stage.js";
import { FAR_AWAY_MS } from "./spans.js";

const FULL = { warmUp: 5_000, count: 100_000 };
const QUICK = { warmUp: 100, count: 2_000 };

export const bulk: Job = {
  name: "bulk",
  summary: "creates in bulk",
  explains: `100,000 tasks created per second of the contestant's own calls for many tasks, in the size and with as many under way as
  suit it best, after 5,000 for warming up. "postgres" is a batched insert of 1,000 rows on one connection.
  cpuMicrosPerTask        of all processes together; node… and server… are its parts
  ${EXPLAINS_DATABASE_WORK}`,
  peers: withPostgres,
  defaults: {},
  quick: {},
  async measure(stage, { isQuick }) {
    const { warmUp, count } = isQuick ? QUICK : FULL;
    const contestant = await stage.enter();
    await stage.servers.tidy();
    const dueAt = Math.ceil(stage.clock.now()) + FAR_AWAY_MS;
    await contestant.ask("bulk", { series: { first: 0, count: warmUp, dueAt, everyMs: 1 } });
    const series = { first: warmUp, count, dueAt, everyMs: 1 };
    const { done, cpu, database } = await stage.whatUses(contestant, () => contestant.ask("bulk", { series }));
    const missing = warmUp + count - (await contestant.ask("pending"));
    return sampleOf({
      perSecond: (count / done.elapsedMs) * 1_000,
      lost: Math.max(0, missing),
      duplicates: Math.max(0, -missing),
      cpuSeconds: cpu.all,
      figures: { tasks: count, ...cpuFigures(cpu, count), ...databaseFigures(database, count) },
    });
  },
};
