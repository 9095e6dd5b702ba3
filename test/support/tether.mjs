// Preloaded into every process that a test spawns: it ends with the test process, even when that one is killed.
import { isMainThread } from "node:worker_threads";

if (isMainThread && process.channel) {
  process.on("disconnect", () => process.kill(process.pid, "SIGKILL"));
  // The listener would keep the process alive that has nothing left to do.
  process.channel.unref();
}
