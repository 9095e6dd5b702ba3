#!/usr/bin/env node
// Builds what is not built: the packages (`tsc -b` is incremental), the OpenAPI document, the dashboard.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "../..");
const bin = (name) => join(root, "node_modules/.bin", name);

function run(what, command, { cwd = root } = {}) {
  const { status, error } = spawnSync(command[0], command.slice(1), { cwd, stdio: ["ignore", "inherit", "inherit"] });
  if (status === 0) return;
  console.error(`build: ${what} failed${error ? `: ${error.message}` : ""}`);
  process.exit(1);
}

/** When the newest file or folder under a path changed; folders too, since a deleted file changes nothing else. */
function newestMs(path) {
  if (!existsSync(path)) return 0;
  const stats = statSync(path);
  if (!stats.isDirectory()) return stats.mtimeMs;
  return Math.max(stats.mtimeMs, ...readdirSync(path).map((name) => newestMs(join(path, name))));
}

function dashboardIsStale(folder) {
  const inputs = readdirSync(folder).filter((name) => !["dist", "node_modules"].includes(name));
  const builtMs = newestMs(join(root, "libs/dashboard-files/dist/page/index.html"));
  return inputs.some((name) => newestMs(join(folder, name)) > builtMs);
}

const startedMs = Date.now();
run("tsc", [bin("tsc"), "-b"]);

const writeOpenApi = join(root, "libs/api/dist/write-openapi.js");
if (existsSync(writeOpenApi)) run("the OpenAPI document", [process.execPath, writeOpenApi]);

const dashboard = join(root, "apps/dashboard");
if (existsSync(join(dashboard, "index.html")) && dashboardIsStale(dashboard)) {
  run("the dashboard", [bin("vite"), "build", "--logLevel", "warn"], { cwd: dashboard });
}
console.log(`built in ${((Date.now() - startedMs) / 1000).toFixed(1)} s`);
