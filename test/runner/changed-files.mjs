// Which files differ from what was last committed.
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "../..");

/**
 * Files that differ from the last commit, and on a branch also those that its commits have changed since it left
 * `main`.
 *
 * @returns {string[]} paths from the root, of files that are there
 */
export function changedFiles() {
  const base = git(["merge-base", "HEAD", "main"])[0] ?? "HEAD";
  const changed = [...git(["diff", "--name-only", base]), ...git(["ls-files", "--others", "--exclude-standard"])];
  return [...new Set(changed)].filter((path) => existsSync(join(root, path)));
}

function git(words) {
  try {
    const output = execFileSync("git", words, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
    return output.split("\n").filter(Boolean);
  } catch {
    return [];
  }
}
