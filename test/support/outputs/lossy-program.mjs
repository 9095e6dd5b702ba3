// A small program like ours, whose outputs a test has lost: `node lossy-program.mjs <kind> <fault>`.
// It writes to both, tells its parent so, and stays until a signal. With a fault it throws then.
import { setImmediate as turn } from "node:timers/promises";
import { ServiceStack } from "@tickwheel/local-services";
import { endWithOutput, outliveOutput } from "@tickwheel/observability";

const TURNS = 1_000;
const [, , kind, fault] = process.argv;
const stack = new ServiceStack().stopOnExit();
let faults = 0;
process.on("uncaughtException", () => (faults += 1));

/** A stop lasts, and where the fault is in the stop it throws behind its back. */
async function stop() {
  if (fault === "in-stop") setImmediate(() => fail("a second fault"));
  for (let left = TURNS; left > 0; left--) await turn();
  process.send({ stopped: true, faults });
}

function fail(message) {
  throw new Error(message);
}

if (kind === "node") outliveOutput();
if (kind === "command") endWithOutput((code) => void stack.stopThenExit(code));
await stack.add({ stop });

// Each lost line of a stack alone is an error.
const lines = kind === "stack" ? 1 : 1_000;
for (let line = 0; line < lines; line++) {
  process.stdout.write(`line ${line}\n`);
  process.stderr.write(`line ${line}\n`);
  await turn();
}
process.send("logged");
setInterval(() => {}, 60_000);
if (fault) setImmediate(() => fail("a fault"));
