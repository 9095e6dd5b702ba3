// Keeps as many threads busy as its first argument says, at the priority of its second (19 is the lowest; default 0).
// Its own loop stays free, so that it ends with the test that started it.
import { setPriority } from "node:os";
import { Worker } from "node:worker_threads";

setPriority(Number(process.argv[3] ?? 0));
for (let count = Number(process.argv[2]); count > 0; count--) new Worker("for (;;);", { eval: true });
