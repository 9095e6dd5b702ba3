import { withPostgres } from "../contestants/contestants.js";
import { databaseFigures, EXPLAINS_DATABASE_WORK } from "../database-work.js";
import type { Job } from "../job.js";
import { sampleOf } from "../sample.js";
import { cpuFigures } from "../stage.js";
import { callFigures } from "./create.js";
import { FAR_AWAY_MS } from "./spans.js";

const CALLERS = 64;

export const cancel: Job = {
  name: "cancel",
  summary: "cancels by 64 concurrent callers, by id",
  explains: `64 callers cancel 30,000 pending tasks by id: cancellations per second until the last is acknowledged.
  What is put off (our history) is in the CPU. "postgres" is a batched delete by id. Ours by default keeps the cancelled
  task in its history and answers it; lean, it keeps and answers nothing of it, as BullMQ does.
  callP50Ms, callP99Ms    what one call takes
  cpuMicrosPerTask        of all processes together; node… and server… are its parts
  ${EXPLAINS_DATABASE_WORK}
It fails if a task is still pending afterwards.`,
  ownSettings: ["defaults", "lean"],
  peers: withPostgres,
  defaults: {},
  quick: {},
  async measure(stage, { isQuick }) {
    const count = isQuick ? 500 : 30_000;
    const contestant = await stage.enter();
    const dueAt = Math.ceil(stage.clock.now()) + FAR_AWAY_MS;
    await contestant.ask("bulk", { series: { first: 0, count, dueAt, everyMs: 1 }, keepsIds: true });
    await stage.servers.tidy();
    const cancelAll = () => contestant.ask("cancel", { callers: CALLERS });
    const { done: report, cpu, database } = await stage.whatUses(contestant, cancelAll);
    const left = await contestant.ask("pending");
    if (report.calls !== count || left > 0)
      throw new Error(`${report.calls} of ${count} cancelled, ${left} still pending`);
    return sampleOf({
      perSecond: (count / report.elapsedMs) * 1_000,
      cpuSeconds: cpu.all,
      figures: {
        tasks: count,
        ...callFigures(report),
        ...cpuFigures(cpu, count),
        ...databaseFigures(database, count),
      },
    });
  },
};
