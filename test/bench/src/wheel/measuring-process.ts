import { fork } from "node:child_process";
import { join } from "node:path";
import type { Sample, Subject } from "./sample.js";

/** A repetition that takes longer hangs. */
const LIMIT_MS = 15 * 60_000;

/** Ten million entries as objects need more than Node's default. */
const HEAP_LIMIT_MIB = 12_288;

/**
 * Measures one repetition in a process of its own.
 * @throws Error if the process fails; its own message is on stderr already
 */
export function measureInProcess(subject: Subject): Promise<Sample> {
  const execArgv = ["--expose-gc", `--max-old-space-size=${HEAP_LIMIT_MIB}`];
  const file = join(import.meta.dirname, "measure-main.js");
  const child = fork(file, [JSON.stringify(subject)], { execArgv, timeout: LIMIT_MS, killSignal: "SIGKILL" });
  return new Promise((resolve, reject) => {
    let sample: Sample | undefined;
    child.on("message", (message) => (sample = message as Sample));
    child.on("error", reject);
    child.on("exit", (code, signal) => {
      if (code === 0 && sample) resolve(sample);
      else reject(new Error(`${nameOf(subject)} failed with ${signal ?? `exit code ${code}`}`));
    });
  });
}

/** As people read it. */
export function nameOf({ impl, n, load }: Subject): string {
  return `${load}, n = ${n.toExponential().replace("+", "")}, ${impl}`;
}
