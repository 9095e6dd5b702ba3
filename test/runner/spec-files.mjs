// The spec files of the repository, each with its kind.
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { kindOf } from "../../jest.config.mjs";

const root = join(import.meta.dirname, "../..");
const SPEC = /^((libs\/[^/]+|apps\/[^/]+|test\/bench|test\/simulation)\/src\/.+|test\/[^/]+\/.+)\.spec\.tsx?$/;
const SKIPPED = new Set(["node_modules", "dist", "results"]);

/**
 * @param {readonly string[]} kinds
 * @returns {string[]} the spec files of these kinds as paths from the root, sorted
 */
export function specFiles(kinds) {
  const all = ["libs", "apps", "test"].flatMap((folder) => filesUnder(folder));
  return all.filter((path) => SPEC.test(path) && kinds.includes(kindOf(path))).toSorted(byName);
}

/** The order of code units, the same everywhere. */
export function byName(one, other) {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

function filesUnder(folder) {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    if (entry.name.startsWith(".") || SKIPPED.has(entry.name)) return [];
    const path = `${folder}/${entry.name}`;
    return entry.isDirectory() ? filesUnder(path) : [path];
  });
}
