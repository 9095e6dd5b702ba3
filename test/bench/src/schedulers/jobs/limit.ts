import type { CallReport } from "../contestants/contestant-commands.js";
import type { Job } from "../job.js";
import { sampleOf } from "../sample.js";
import { cpuSince } from "../stage.js";
import { FAR_AWAY_MS } from "./spans.js";

export const limit: Job = {
  name: "limit",
  summary: "what bare Postgres does at most",
  explains: `bare Postgres: 100,000 rows of 1,000 per statement on one connection, prepared, each statement its own transaction:
  insertPerSecond         batched insert
  claimPerSecond          update by id from scheduled to running, with the row given back
  completePerSecond       delete by id
  claimCompletePerSecond  both, one after the other
perSecond is the insert. What bare single creates reach, create and create-one show ("postgres").`,
  peers: ["postgres"],
  defaults: {},
  quick: {},
  async measure(stage, { isQuick }) {
    const count = isQuick ? 2_000 : 100_000;
    const postgres = await stage.enter();
    const dueAt = Math.ceil(stage.clock.now()) + FAR_AWAY_MS;
    const before = stage.cpu();
    const insert = await postgres.ask("bulk", { series: { first: 0, count, dueAt, everyMs: 1 } });
    await stage.servers.tidy();
    const claim = await postgres.ask("statement", { name: "claim" });
    const complete = await postgres.ask("statement", { name: "complete" });
    const cpu = cpuSince(before, stage.cpu());
    const rate = (...reports: CallReport[]): number =>
      (count / reports.reduce((sum, { elapsedMs }) => sum + elapsedMs, 0)) * 1_000;
    return sampleOf({
      perSecond: rate(insert),
      lost: await postgres.ask("pending"),
      cpuSeconds: cpu.all,
      figures: {
        insertPerSecond: rate(insert),
        claimPerSecond: rate(claim),
        completePerSecond: rate(complete),
        claimCompletePerSecond: rate(claim, complete),
      },
    });
  },
};
