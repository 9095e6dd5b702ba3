#!/usr/bin/env node
// `npm run dev`: builds on every change, a node that starts anew when it was built, and the page by Vite, which shows a
// change at once. The node takes its options from the environment, as `npm start` does.
import { spawn } from "node:child_process";
import { join } from "node:path";
import { build } from "./build.mjs";

const root = join(import.meta.dirname, "../..");
const HELP = `npm run dev
  Builds what changes, starts a node anew when it was built (localhost:3000, or PORT), and serves the page by Vite
  (localhost:5173). The node takes its options from the environment, as npm start does. Ctrl-C ends all.`;

/** Programs that run until they are told to end; when one ends, all do. */
function together(commands) {
  const children = commands.map(([program, args, options]) => spawn(program, args, { stdio: "inherit", ...options }));
  const end = () => children.forEach((child) => child.kill("SIGTERM"));
  for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, end);
  for (const child of children)
    child.on("exit", (code) => {
      process.exitCode ||= code ?? 0;
      end();
    });
}

if (process.argv.includes("--help")) console.log(HELP);
else {
  await build();
  const env = { ...process.env, TICKWHEEL_DEV_API: `http://localhost:${process.env.PORT ?? 3000}` };
  together([
    [
      process.execPath,
      [join(root, "node_modules/typescript-7/bin/tsc"), "-b", "--watch", "--preserveWatchOutput"],
      { cwd: root },
    ],
    [
      process.execPath,
      [
        "--watch-path=libs",
        "--watch-path=apps/scheduler/dist",
        "--watch-preserve-output",
        "apps/scheduler/dist/main.js",
      ],
      { cwd: root },
    ],
    [
      join(root, "node_modules/.bin/vite"),
      ["--port", "5173", "--strictPort"],
      { cwd: join(root, "apps/dashboard"), env },
    ],
  ]);
}
