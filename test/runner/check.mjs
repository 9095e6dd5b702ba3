#!/usr/bin/env node
// `npm run check`: every step runs, also after one that failed, so that one run tells everything. Steps that need one
// processor run two at once.
import { spawn } from "node:child_process";

/**
 * What runs at the same time, stage by stage; the tests use all processors by themselves. The import rules are one of
 * them.
 */
const STAGES = [
  { build: "build", format: "format:check" },
  { lint: "lint:built", types: "types:built", reference: "docs:check" },
  { tests: "test:unit" },
];

const results = [];
for (const stage of STAGES) {
  const steps = Object.entries(stage);
  results.push(...(await Promise.all(steps.map(([step, script]) => run(step, script, steps.length === 1)))));
}

console.log("\n━━ check");
for (const { step, ok, seconds } of results) {
  console.log(`${ok ? "ok    " : "FAILED"}  ${step.padEnd(12)}  ${seconds.toFixed(1).padStart(6)} s`);
}
process.exitCode = results.every(({ ok }) => ok) ? 0 : 1;

/** Shows what it prints as it comes, or at its end: two steps do not speak at once. */
async function run(step, script, isShown) {
  if (isShown) console.log(`\n━━ ${step}`);
  const startedMs = Date.now();
  const output = isShown ? "inherit" : "pipe";
  const child = spawn("npm", ["run", "--silent", script], { stdio: ["ignore", output, output] });
  let text = "";
  for (const stream of [child.stdout, child.stderr]) stream?.setEncoding("utf8").on("data", (part) => (text += part));
  const code = await new Promise((resolve) => {
    child.on("error", () => resolve(1));
    child.on("close", resolve);
  });
  if (!isShown) console.log(`\n━━ ${step}\n${text.trimEnd()}`);
  return { step, ok: code === 0, seconds: (Date.now() - startedMs) / 1_000 };
}
