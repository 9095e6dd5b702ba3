#!/usr/bin/env node
// Builds what is not built, then runs a built program in this same process:
// `node test/runner/run-built.mjs <program> [arguments]`. `npm start` is this way one process below npm: `a && b` would
// leave a shell between the two, which passes no signal on.
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "./build.mjs";

const [node, , program, ...args] = process.argv;
const script = join(import.meta.dirname, "../..", program);
await build();
// The program finds its command line as if it had been started itself.
process.argv = [node, script, ...args];
await import(pathToFileURL(script));
