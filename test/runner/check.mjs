#!/usr/bin/env node
// `npm run check`: every step runs, also after one that failed, so that one run tells everything.
import { spawnSync } from "node:child_process";

const steps = {
  format: "format:check",
  lint: "lint",
  types: "types",
  "import rules": "imports",
  tests: "test:unit",
  build: "build",
};

const results = Object.entries(steps).map(([step, script]) => {
  console.log(`\n━━ ${step}`);
  const startedMs = Date.now();
  const { status } = spawnSync("npm", ["run", "--silent", script], { stdio: ["ignore", "inherit", "inherit"] });
  return { step, ok: status === 0, seconds: (Date.now() - startedMs) / 1000 };
});

console.log("\n━━ check");
for (const { step, ok, seconds } of results) {
  console.log(`${ok ? "ok    " : "FAILED"}  ${step.padEnd(12)}  ${seconds.toFixed(1).padStart(6)} s`);
}
process.exitCode = results.every(({ ok }) => ok) ? 0 : 1;
