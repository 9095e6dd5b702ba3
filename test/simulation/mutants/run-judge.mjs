// The process in which one mutant is judged.
import { spawn } from "node:child_process";
import { join } from "node:path";

/**
 * Runs a judge of this folder and answers what it says, or `{ failure }`: why it said nothing.
 *
 * @param {string} judge its file
 * @param {readonly string[]} given its arguments
 * @param {import("node:child_process").SpawnOptions} limits when it is ended; default: never
 */
export async function runJudge(judge, given, limits = {}) {
  const child = spawn(process.execPath, [join(import.meta.dirname, judge), ...given], {
    ...limits,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [out, errors, code] = await Promise.all([
    textOf(child.stdout),
    textOf(child.stderr),
    new Promise((resolve) => child.on("close", (status, signal) => resolve(status ?? signal))),
  ]);
  if (code !== 0) return { failure: `ended with ${code}: ${errors.trim().split("\n").slice(-12).join("\n")}` };
  return JSON.parse(out);
}

async function textOf(stream) {
  let text = "";
  for await (const part of stream.setEncoding("utf8")) text += part;
  return text;
}
