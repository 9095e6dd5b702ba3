// Which failed files are run once more, alone, and what that comes to.
import { stripVTControlCharacters } from "node:util";
import { kindOf } from "../../jest.config.mjs";

/** The name of the error that judges of promises throw: `test/support/broken-promise.ts`. */
export const BROKEN_PROMISE = "BrokenPromise";
/** Where more files than this fail, it is no coincidence. */
const MOST_FILES = 5;
/** Each of their tests is a promise. One that hung has broken none. */
const PROMISES = new Set(["property", "conformance"]);
const HUNG = "Exceeded timeout of";

/** @typedef {{ name: string, assertionResults: { status: string, fullName?: string, failureMessages?: string[] }[],
 *   message?: string, status?: string }} FileResult of Jest's report */

/**
 * The files that are worth a second try: they failed, and broke no promise.
 *
 * @param {readonly FileResult[]} results
 * @param {(name: string) => string} pathOf from the root
 * @returns {FileResult[]}
 */
export function secondTries(results, pathOf) {
  const failed = results.filter(hasFailed);
  if (failed.length > MOST_FILES) return [];
  return failed.filter((file) => !breaksPromise(file) && !(PROMISES.has(kindOf(pathOf(file.name))) && !hasHung(file)));
}

/** Whether a file has failed: one of its tests, or the file as a whole. */
export function hasFailed(file) {
  return file.status === "failed" || file.assertionResults.some(({ status }) => status === "failed");
}

function hasHung(file) {
  const failed = file.assertionResults.filter(({ status }) => status === "failed");
  return (
    failed.length > 0 && failed.every(({ failureMessages }) => failureMessages?.some((text) => text.includes(HUNG)))
  );
}

/** Whether something was lost, doubled, early, started after a cancel, or has had an effect twice. */
export function breaksPromise(file) {
  const told = [file.message ?? "", ...file.assertionResults.flatMap(({ failureMessages }) => failureMessages ?? [])];
  return told.some((text) => text.includes(`${BROKEN_PROMISE}:`));
}

/**
 * The line of a file that passed at its second try.
 *
 * @returns {string} `flaky: <file> <test> <first message>`
 */
export function flakyLine(file, path) {
  const test = file.assertionResults.find(({ status }) => status === "failed");
  const message =
    (test?.failureMessages?.[0] ?? file.message ?? "").split("\n").find((line) => line.trim() !== "") ?? "";
  return `flaky: ${path} ${test?.fullName ?? "(the file as a whole)"} ${stripVTControlCharacters(message.trim())}`;
}
