// Preloaded into a process: measures the CPU time that its main thread spends between two rounds of its loop. A timer
// of 2 ms reads the thread's own CPU time from the kernel, so that what other programs take does not count; garbage
// collections are measured apart. At SIGUSR2 it writes the longest turns to the file that TURN_CPU_FILE names, and
// forgets them.
import { openSync, readSync, renameSync, writeFileSync } from "node:fs";
import { PerformanceObserver } from "node:perf_hooks";
import { isMainThread } from "node:worker_threads";

const TICK_MS = 2;
const KEPT = 20;
const file = process.env.TURN_CPU_FILE;

if (isMainThread && file) {
  const stat = openSync(`/proc/self/task/${process.pid}/schedstat`, "r");
  const buffer = Buffer.alloc(64);
  const cpuMs = () => Number(buffer.toString("latin1", 0, readSync(stat, buffer, 0, 64, 0)).split(" ")[0]) / 1e6;
  const collections = [];
  let longest = [];
  let last = cpuMs();
  let lastAt = performance.now();
  let turns = 0;
  new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries())
      if (duration > 1) collections.push({ startTime, duration });
    if (collections.length > 1_000) collections.splice(0, 500);
  }).observe({ entryTypes: ["gc"] });
  const tick = () => {
    const now = cpuMs();
    const at = performance.now();
    if (now - last > (longest.at(-1)?.cpu ?? 0) || longest.length < KEPT) {
      longest.push({ cpu: now - last, from: lastAt, to: at });
      longest = longest.sort((one, other) => other.cpu - one.cpu).slice(0, KEPT);
    }
    turns++;
    [last, lastAt] = [now, at];
  };
  setInterval(tick, TICK_MS).unref();
  let reports = 0;
  process.on("SIGUSR2", () => {
    const told = longest.map(({ cpu, from, to }) => {
      const own = collections.filter(({ startTime }) => startTime >= from && startTime <= to);
      const garbage = own.reduce((sum, { duration }) => sum + duration, 0);
      return { cpuMs: cpu, garbageMs: garbage, workMs: Math.max(0, cpu - garbage) };
    });
    writeFileSync(`${file}.new`, JSON.stringify({ number: ++reports, turns, longest: told }));
    renameSync(`${file}.new`, file);
    longest = [];
    turns = 0;
  });
}
