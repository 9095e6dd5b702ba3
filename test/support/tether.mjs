// Preloaded into every process that a test spawns: the process ends with the test process, even if that is killed.
import { isMainThread } from "node:worker_threads";

if (isMainThread && process.channel) {
  process.on("disconnect", () => process.kill(process.pid, "SIGKILL"));
  // Otherwise the listener would keep a process alive that has nothing left to do.
  process.channel.unref();
}
