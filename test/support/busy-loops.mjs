// Keeps as many threads busy as its argument says; its own loop stays free, so that it ends with the test that started it.
import { Worker } from "node:worker_threads";

for (let count = Number(process.argv[2]); count > 0; count--) new Worker("for (;;);", { eval: true });
