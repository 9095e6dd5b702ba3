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
  return filesSince(base).filter((path) => existsSync(join(root, path)));
}

/**
 * Files that differ from a commit, and those that git does not know yet.
 *
 * @param {string | undefined} base undefined: there is no such commit
 * @returns {string[]} paths from the root, also of files that are gone
 */
export function filesSince(base) {
  const changed = base ? git(["diff", "--name-only", base]) : [];
  return [...new Set([...changed, ...git(["ls-files", "--others", "--exclude-standard"])])];
}

/** The lines that git prints; none where it fails. */
export function git(words) {
  try {
    const output = execFileSync("git", words, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
    return output.split("\n").filter(Boolean);
  } catch {
    return [];
  }
}
