import { setTimeout as wait } from "node:timers/promises";
import type { Job } from "../job.js";
import { schedulerNames } from "../contestants/contestants.js";
import { sampleOf } from "../sample.js";
import { cpuSince } from "../stage.js";
import { fillBacklog } from "./backlog.js";

const FULL = { restMs: 60_000, durationMs: 60_000 };
const QUICK = { restMs: 500, durationMs: 2_000 };

export const idle: Job = {
  name: "idle",
  summary: "CPU while nothing is due",
  explains: `the CPU of a node, and of the servers for it, in a minute in which nothing is due, with --pending tasks in the store:
  nodePercent             of one core
  postgresPercent
  redisPercent
Measured from a minute after the backlog was created and vacuumed: what that leaves to the compiler and the collector is over by then.`,
  peers: schedulerNames,
  defaults: { pending: 1_000_000, schedules: 0 },
  quick: { pending: 2_000 },
  async measure(stage, { pending, isQuick }) {
    const { restMs, durationMs } = isQuick ? QUICK : FULL;
    const node = await stage.enter();
    await fillBacklog(stage, node, pending);
    await wait(restMs);
    const before = stage.cpu();
    const startedAt = stage.clock.now();
    await wait(durationMs);
    const cpu = cpuSince(before, stage.cpu());
    const elapsedMs = stage.clock.now() - startedAt;
    const percent = (seconds: number): number => (seconds / elapsedMs) * 100_000;
    return sampleOf({
      cpuSeconds: cpu.all,
      lost: Math.max(0, pending - (await node.ask("pending"))),
      figures: {
        nodePercent: percent(cpu.contestant),
        postgresPercent: percent(cpu.postgres),
        redisPercent: percent(cpu.redis),
      },
    });
  },
};
