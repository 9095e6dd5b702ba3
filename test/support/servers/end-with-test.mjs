// Waits for the test process to end, however it ends; then kills what runs in a folder and removes it. Argument: the
// folder. Programs that have left it, such as the servers of Postgres, work in folders below it.
import { rmSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { pidsIn, signalOne } from "./processes-in.mjs";

const [folder] = process.argv.slice(2);
/** A server that has just been started comes to its folder a little later. */
const PASSES = 40;
const PAUSE_MS = 50;

// It may have ended before this process was so far.
if (process.connected) process.on("disconnect", () => void end());
else await end();

async function end() {
  for (let pass = 0; pass < PASSES; pass++) {
    for (const pid of pidsIn(folder)) signalOne(pid, "SIGKILL");
    await wait(PAUSE_MS);
  }
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  process.exit(0);
}
