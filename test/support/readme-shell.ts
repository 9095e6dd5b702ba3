import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { repositoryRoot } from "./node-process.js";
import { HUNG_MS } from "./eventually.js";

/** Packages are installed and nodes started on the way. */
const WALK_LIMIT_MS = 4 * HUNG_MS;

/** The blocks of a language below a heading of a document, in their order. */
export function documentBlocks(document: string, heading: string, language: "sh" | "sql" | "ts"): string[] {
  const text = readFileSync(join(repositoryRoot, document), "utf8");
  const [, section] = text.split(new RegExp(`^## ${heading}$`, "m"));
  if (section === undefined) throw new Error(`${document} has no heading "${heading}"`);
  return [...section.split(/^## /m, 1)[0]!.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, "gms"))].map(
    ([, block]) => block!,
  );
}

/** The environment of a run, and replacements of commands that a test must not run. */
export interface WalkOptions {
  cwd: string;
  /** Bash that comes before the first block, such as functions that stand for commands. */
  before?: string;
  env?: Readonly<Record<string, string>>;
}

/**
 * Runs text in one Bash, as if it were pasted, up to the first command that fails. Processes that it started in the
 * background have ended when this returns.
 *
 * @returns all that was printed
 * @throws with what was printed, if a command fails or the time is over
 */
export async function pasted(blocks: readonly string[], options: WalkOptions): Promise<string> {
  const { cwd, before = "", env = {} } = options;
  const end = "trap 'status=$?; kill $(jobs -p) 2> /dev/null || true; wait; exit $status' EXIT";
  const script = ["set -eo pipefail", end, before, ...blocks].join("\n");
  const { PATH = "", HOME = "" } = process.env;
  return new Promise((resolve, reject) => {
    const settings = {
      cwd,
      env: { PATH, HOME, NO_COLOR: "1", ...env },
      timeout: WALK_LIMIT_MS,
      maxBuffer: 16 * 1024 * 1024,
    };
    execFile("bash", ["-c", script], settings, (error, stdout, stderr) => {
      if (error) reject(new Error(`the shell ended with ${error.code}:\n${stdout}\n${stderr}`, { cause: error }));
      else resolve(`${stdout}\n${stderr}`);
    });
  });
}
