// Suites: the spec files of a package that run as one file of Jest's. A library is then loaded once for all of them,
// and not once for each, which took half of the time of the unit tests.
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { kindOf } from "../../jest.config.mjs";
import { recordedTimes } from "./times.mjs";

const root = join(import.meta.dirname, "../..");
const folder = join(import.meta.dirname, "suites");
/** Kinds whose files share a process's modules: they start no server. */
const KINDS = new Set(["unit", "property"]);
/** A suite ends when its files take more than this, so that all processors have work to the end. */
const MOST_SECONDS = 15;
/** What a file takes of which nothing is known. */
const FEW_SECONDS = 0.1;

/**
 * @typedef {Record<string, string[]>} Suites the files of each suite; all are paths from the root
 */

/**
 * Writes a suite for every package that has two files of these at least.
 *
 * @param {readonly string[]} files paths from the root, sorted
 * @returns {{ suites: Suites, alone: string[] }} `alone`: files that are in no suite
 */
export function writeSuites(files) {
  rmSync(folder, { recursive: true, force: true });
  const { suites, alone } = suitesOf(files, recordedTimes());
  if (Object.keys(suites).length > 0) mkdirSync(folder);
  for (const [suite, paths] of Object.entries(suites)) writeFileSync(join(root, suite), textOf(paths));
  return { suites, alone };
}

/**
 * @param {readonly string[]} files paths from the root, sorted
 * @param {Record<string, number>} times seconds by path
 * @returns {{ suites: Suites, alone: string[] }}
 */
export function suitesOf(files, times) {
  const alone = files.filter((file) => !KINDS.has(kindOf(file)));
  /** @type {Suites} */
  const suites = {};
  for (const [name, paths] of byPackage(files.filter((file) => KINDS.has(kindOf(file))))) {
    for (const [place, part] of inParts(paths, times).entries()) {
      if (part.length === 1) alone.push(...part);
      else suites[`test/runner/suites/${name}-${place + 1}.mjs`] = part;
    }
  }
  return { suites, alone };
}

/** @returns {Map<string, string[]>} */
function byPackage(files) {
  const packages = new Map();
  for (const file of files) {
    const name = file.split("/").slice(0, 2).join("-");
    packages.set(name, [...(packages.get(name) ?? []), file]);
  }
  return packages;
}

function inParts(files, times) {
  const parts = [];
  let seconds = Infinity;
  for (const file of files) {
    if (seconds > MOST_SECONDS) {
      parts.push([]);
      seconds = 0;
    }
    parts.at(-1).push(file);
    seconds += times[file] ?? FEW_SECONDS;
  }
  return parts;
}

function textOf(paths) {
  return [
    'import { loadSpecs } from "../suite-scope.mjs";',
    `await loadSpecs(${JSON.stringify(paths, null, 2)}, ${JSON.stringify(root)});`,
    "",
  ].join("\n");
}

/**
 * The results of a report file by file, as if each had run alone: its time is that of its tests.
 *
 * @param {readonly object[]} results `testResults` of Jest's report
 * @param {Suites} suites
 * @returns {object[]}
 */
export function resultsByFile(results, suites) {
  return results.flatMap((result) => {
    const paths = suites[relative(root, result.name)];
    return paths ? paths.map((path) => resultOf(path, result)) : [result];
  });
}

function resultOf(path, { assertionResults, message, startTime }) {
  const own = assertionResults
    .filter(({ ancestorTitles }) => ancestorTitles[0] === path)
    .map((test) => ({
      ...test,
      ancestorTitles: test.ancestorTitles.slice(1),
      fullName: test.fullName.slice(path.length + 1),
    }));
  const ms = own.reduce((sum, { duration }) => sum + (duration ?? 0), 0);
  const isFailed = own.length === 0 || own.some(({ status }) => status === "failed");
  return {
    name: join(root, path),
    assertionResults: own,
    status: isFailed ? "failed" : "passed",
    message: own.length === 0 ? message || "the file has no test" : "",
    startTime,
    endTime: startTime + ms,
  };
}
