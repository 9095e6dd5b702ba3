import { type LatenessParts, noLateness } from "@tickwheel/core";
import type { HistoryOptions } from "../src/history/history.js";
import { HistoryBuilder, type TaskTraits } from "./history-builder.js";

// How histories of the specs begin; `lateTasks` and `lateTheft` are whole ones.

/** Parts of a lateness, by a clock without error. */
export function latenessPartsOf(parts: Partial<LatenessParts>): LatenessParts {
  return { ...noLateness(), clockErrorUs: 0, takenFrom: null, ...parts };
}

/** Two nodes, and nothing to do. */
export function twoNodes(): HistoryBuilder {
  return new HistoryBuilder().node("joined", "n1", "n2");
}

/** Two nodes, the first of which leads. */
export function led(options: Partial<HistoryOptions> = {}): HistoryBuilder {
  return new HistoryBuilder(options).node("joined", "n1", "n2").node("leads", "n1").wait(60_000);
}

/** Task "a" has just become due, and every wheel had the time to know it. */
export function dueTask(traits: TaskTraits = {}): HistoryBuilder {
  return twoNodes()
    .create("a", { due: { delayMs: 9_000 }, ...traits })
    .wait(9_000);
}

/** Task "a" waits, holds a key and collects merges. */
export function collecting(): HistoryBuilder {
  return twoNodes().create("a", { key: "k", due: { delayMs: 9_000 } });
}

/** Task "a" runs on n1. */
export function runningTask(traits: TaskTraits = {}): HistoryBuilder {
  return dueTask(traits).claim("a", "n1").start("a");
}

/** Tasks "a" and "b" ran on n2 when that died with a blocked loop, and are due again. */
export function twoSuspects(): HistoryBuilder {
  const built = new HistoryBuilder().node("joined", "n1", "n2", "n3");
  for (const id of ["a", "b"]) built.create(id).claim(id, "n2").start(id);
  return built.blockedDeath("n2").reap("a", "b");
}

/** Task "a" is done. */
export function doneTask(): HistoryBuilder {
  return runningTask().wait(20).succeed("a");
}

/** Task "a" is stolen 2.9 s late, twelve seconds after n1 crashed. */
export function lateTheft(meanwhile: (built: HistoryBuilder) => HistoryBuilder): HistoryBuilder {
  return meanwhile(twoNodes().began({ name: "crash", bootId: "n1" }))
    .wait(2_500)
    .create("a", { due: { delayMs: 1_500 } })
    .wait(4_400)
    .claim("a", "n2")
    .start("a", { finder: "steal" });
}

interface LateTasks {
  /** `caller`: written in a transaction of the caller's own. */
  by?: "caller";
  delayMs?: number;
  /** What happens when they are due. */
  meanwhile?: (built: HistoryBuilder) => HistoryBuilder;
}

/** This many tasks, each `latenessMs` late. */
export function lateTasks(count: number, latenessMs: number, given: LateTasks = {}): HistoryBuilder {
  const { by, delayMs = 9_000, meanwhile = (built) => built } = given;
  const ids = Array.from({ length: count }, (_, index) => `t${index}`);
  const built = twoNodes();
  for (const taskId of ids) {
    if (by === "caller") built.began({ name: "row-lock", taskId });
    built.create(taskId, { due: { delayMs } });
    if (by === "caller") built.over({ name: "row-lock", taskId });
  }
  meanwhile(built.wait(delayMs)).wait(latenessMs);
  for (const id of ids) built.claim(id, "n1").start(id).succeed(id);
  return built;
}
