import type { ContestantProcess } from "../contestants/contestant-process.js";
import type { Job } from "../job.js";
import { schedulerNames } from "../contestants/contestants.js";
import { databaseFigures, EXPLAINS_DATABASE_WORK } from "../database-work.js";
import { sampleOf } from "../sample.js";
import { cpuFigures, type Stage } from "../stage.js";
import { fillBacklog } from "./backlog.js";
import { fire } from "./firing.js";

const FULL = { count: 50_000, pending: 5_000, limitMs: 30_000 };
const QUICK = { count: 500, pending: 100, limitMs: 10_000 };

export const burst: Job = {
  name: "burst",
  summary: "50,000 tasks that are due at one instant",
  explains: `50,000 tasks that are due at one instant, created ahead: tasks per second until the last has ended by commit. Looked at
  each 5 ms once all have started. Ours by default keeps what has succeeded, as BullMQ and pg-boss do; lean, it keeps
  nothing of it, as graphile-worker does.
  cpuMicrosPerTask        of all processes together, with what is put off (our history); node… and
                          server… are its parts
  firingCpuMicrosPerTask  of them until the last has ended
  ${EXPLAINS_DATABASE_WORK}
  largestShare            with --nodes: the share of the tasks that one node ran, at most
  unfinished              tasks still in the store after 30 s, where a contestant cannot keep up`,
  ownSettings: ["defaults", "lean"],
  peers: schedulerNames,
  defaults: { nodes: 1, schedules: 0 },
  quick: {},
  async measure(stage, { nodes: wanted, isQuick }) {
    const { count, pending, limitMs } = isQuick ? QUICK : FULL;
    const nodes = await enterAll(stage, stage.subject.peer === "tickwheel" ? wanted : 1);
    const backlog = await fillBacklog(stage, nodes[0]!, pending);
    const fired = await fire(stage, { nodes, backlog, count, everyMs: 0, limitMs });
    const { lost, early, duplicates, latenessMs, started } = fired.verdict;
    const micros = ({ all }: { all: number }): number => (all / started) * 1e6;
    return sampleOf({
      lost,
      early,
      duplicates,
      latenessMs,
      cpuSeconds: fired.cpu.all,
      perSecond: ((count - fired.unfinished) / fired.elapsedMs) * 1_000,
      figures: {
        tasks: count,
        ...cpuFigures(fired.cpu, started),
        ...databaseFigures(fired.database, count - fired.unfinished),
        firingCpuMicrosPerTask: micros(fired.firingCpu),
        largestShare: Math.max(...fired.startsByNode) / started,
        unfinished: fired.unfinished,
      },
    });
  },
};

async function enterAll(stage: Stage, count: number): Promise<ContestantProcess[]> {
  const nodes: ContestantProcess[] = [];
  for (let i = 0; i < count; i++) nodes.push(await stage.enter());
  return nodes;
}
