// Which spec files a change touches: by what they import, and by the table of areas for those that start processes.
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { filesSince, git } from "./changed-files.mjs";
import { AREAS } from "./touched-areas.mjs";

const root = join(import.meta.dirname, "../..");

/** Without `CI_BASE`, a change is all that is newer than this. */
const SESSION = "12 hours ago";

/**
 * The files that differ from `CI_BASE`, by default from the newest commit that is older than twelve hours; those that
 * are not committed are among them.
 *
 * @returns {string[]} paths from the root, also of files that are gone
 */
export function filesSinceBase(
  base = process.env["CI_BASE"] ?? git(["rev-list", "-1", `--before=${SESSION}`, "HEAD"])[0],
) {
  return filesSince(base);
}

/** The number of the commit that is checked out, the first being 1; 0 where git does not say. */
export function commitNumber() {
  return Number(git(["rev-list", "--count", "HEAD"])[0] ?? 0);
}

/**
 * Which of the spec files a change touches: those that have changed themselves, then those that import what has changed
 * by its own path, the nearest first, then those of the areas that it belongs to. A library's door does not pass a
 * change on: nearly everything imports it, and the areas say who is meant.
 *
 * @param {readonly string[]} specs paths from the root
 * @param {readonly string[]} changed paths from the root
 * @param {(path: string) => string | null} [read] what is in a file; null: it is not there
 * @returns {string[]} the nearest first
 */
export function touchedSpecs(specs, changed, read = readSource) {
  const distances = new Map();
  for (const spec of specs) {
    const distance = distanceTo(new Set(changed), spec, read);
    if (distance !== null) distances.set(spec, distance);
  }
  const near = [...distances].toSorted(([, one], [, other]) => one - other).map(([spec]) => spec);
  const areas = AREAS.filter(({ paths }) => changed.some((path) => paths.test(path) && !isDocument(path)));
  const guides = AREAS.filter(({ paths }) => changed.some((path) => paths.test(path) && isDocument(path)));
  const ofAreas = specs.filter((spec) => [...areas, ...guides].some((area) => isOf(area, spec)));
  return [...new Set([...near, ...ofAreas])];
}

function isOf({ specs }, spec) {
  return spec.startsWith("test/") && specs.test(spec.slice("test/".length));
}

/** What is written about an area belongs to the area of documents alone. */
function isDocument(path) {
  return path.endsWith(".md");
}

const DOOR = /^libs\/[^/]+\/src\/index\.ts$/;
const IMPORT = /(?:from|import)\s*\(?\s*"(\.{1,2}\/[^"]+)"/g;

/** By how many imports a spec reaches a changed file; null: by none. Breadth first, so the least number. */
function distanceTo(changed, spec, read) {
  let layer = [spec];
  const seen = new Set(layer);
  for (let distance = 0; layer.length > 0; distance++) {
    if (layer.some((path) => changed.has(path))) return distance;
    const next = layer.flatMap((path) => (DOOR.test(path) ? [] : importsOf(path, read)));
    layer = [...new Set(next)].filter((path) => !seen.has(path));
    for (const path of layer) seen.add(path);
  }
  return null;
}

function importsOf(path, read) {
  const text = read(path);
  if (text === null) return [];
  return [...text.matchAll(IMPORT)].map(([, to]) => sourceOf(normalize(join(dirname(path), to)), read));
}

/** `x.js` is written for `x.ts`. */
function sourceOf(path, read) {
  const typed = path.replace(/\.js$/, ".ts");
  return typed !== path && read(typed) === null ? path.replace(/\.js$/, ".tsx") : typed;
}

const texts = new Map();

function readSource(path) {
  if (!texts.has(path)) {
    const file = join(root, path);
    texts.set(path, existsSync(file) ? readFileSync(file, "utf8") : null);
  }
  return texts.get(path);
}
