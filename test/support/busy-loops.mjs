// Keeps threads busy. The first argument is their number, the second their priority (19 is the lowest; default 0). The
// main loop stays free, so that the process ends with the test that started it.
import { setPriority } from "node:os";
import { Worker } from "node:worker_threads";

setPriority(Number(process.argv[3] ?? 0));
for (let count = Number(process.argv[2]); count > 0; count--) new Worker("for (;;);", { eval: true });
