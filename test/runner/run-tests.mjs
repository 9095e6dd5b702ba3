#!/usr/bin/env node
// Runs kinds of tests, group by group, and closes with the slowest files, a table and a plain line of totals.
import { changedFiles } from "./changed-files.mjs";
import { runKinds } from "./jest-run.mjs";
import { measureMachine } from "./machine-speed.mjs";
import { clearTotals, closingLine, recordTotals, recordedTotals } from "./totals.mjs";

const help = `node test/runner/run-tests.mjs [--fresh] [--whole] <kind…> [-- [--changed] <arguments for Jest>]
node test/runner/run-tests.mjs --total [<failed step…>]

Kinds: the projects of jest.config.mjs. Kinds of one group run in one Jest process, two to four files at once.
It fails when a test fails, is skipped or is a todo, when a kind has files but ran no test, or does not end.
A kind without files is listed with 0.
The machine is measured before each group; where it is slow, what hangs is given longer.

  --fresh    forget the totals that earlier commands recorded in test/results/
  --whole    run proofs as a whole of which a sample is run otherwise, as before a release: hours
  --total    run nothing: print the sum of all recorded totals, each kind once; every failed step counts as one failure at least
  --changed  run what imports a file that differs from the last commit, or from main on a branch
  --help     print this

With arguments for Jest (a path, -t <name>) the run is partial: skipped tests are allowed, totals are not recorded.`;

const SLOWEST = 10;

async function main(argv) {
  const cut = argv.includes("--") ? argv.indexOf("--") : argv.length;
  const words = argv.slice(0, cut).filter((word) => !word.startsWith("--"));
  const options = new Set(argv.slice(0, cut).filter((word) => word.startsWith("--")));
  if (options.has("--help")) return print(help);
  if (options.has("--fresh")) clearTotals();
  if (options.has("--total")) return printSum(words);
  const { groups } = await import("../../jest.config.mjs");
  const known = groups.flatMap(({ kinds }) => kinds);
  const unknown = words.filter((word) => !known.includes(word));
  if (words.length === 0 || unknown.length > 0) {
    const complaint = unknown.length > 0 ? `No such kind: ${unknown.join(", ")}.` : "Name at least one kind.";
    print(`${complaint} Kinds: ${known.join(", ")}.`);
    return 1;
  }
  return runGroups(
    groups
      .map(({ kinds, workers }) => ({ kinds: kinds.filter((kind) => words.includes(kind)), workers }))
      .filter(({ kinds }) => kinds.length > 0),
    { asked: argv.slice(cut + 1), isWhole: options.has("--whole") },
  );
}

async function runGroups(groups, { asked, isWhole }) {
  const jestArguments = withChanged(asked);
  if (jestArguments === null) return print("Nothing differs: nothing to run.\n\n0 passed, 0 failed");
  const partial = jestArguments.length > 0;
  const totals = [];
  for (const { kinds, workers } of groups) {
    const { slowness, load, cores } = measureMachine();
    const told =
      slowness > 1 ? `; this machine is slow just now: limits × ${slowness}, load ${load}, ${cores} cores` : "";
    print(`\n── ${kinds.join(", ")}${told}`);
    for (const total of await runKinds(kinds, { workers, jestArguments, slowness, isWhole }))
      totals.push(withSkippedAsFault(total, partial));
  }
  if (!partial) recordTotals(totals);
  print(slowestOf(totals));
  print(table(totals));
  print(closingLine(totals));
  return totals.every((total) => total.failed === 0) ? 0 : 1;
}

/** Puts the changed files in the place of `--changed`; null: there are none. */
function withChanged(jestArguments) {
  if (!jestArguments.includes("--changed")) return jestArguments;
  const files = changedFiles();
  if (files.length === 0) return null;
  return [...jestArguments.filter((word) => word !== "--changed"), "--findRelatedTests", ...files];
}

/** A skipped test hides something: it fails its kind, but for runs that were narrowed on purpose. */
function withSkippedAsFault(total, partial) {
  if (partial || total.skipped === 0) return total;
  return { ...total, failed: Math.max(total.failed, 1), faults: [...total.faults, "no test may be skipped or a todo"] };
}

function slowestOf(totals) {
  const files = totals.flatMap(({ slowest }) => slowest).sort((a, b) => b.ms - a.ms);
  const lines = files.slice(0, SLOWEST).map(({ file, ms }) => `${seconds(ms).padStart(7)} s  ${file}`);
  return lines.length === 0 ? "" : ["", "the slowest files", ...lines].join("\n");
}

/** The seconds are those of the kind's files, added up; two run at once. */
function table(totals) {
  const head = ["kind", "files", "ran", "passed", "failed", "skipped", "seconds"];
  const rows = totals.map((total) => [
    total.kind,
    ...[total.files, total.passed + total.failed, total.passed, total.failed, total.skipped].map(String),
    seconds(total.slowest.reduce((sum, { ms }) => sum + ms, 0)),
  ]);
  const width = (column) => Math.max(...[head, ...rows].map((row) => row[column].length));
  const line = (row) => row.map((cell, i) => (i === 0 ? cell.padEnd(width(i)) : cell.padStart(width(i)))).join("  ");
  const faults = totals.flatMap((total) => total.faults.map((fault) => `${total.kind}: ${fault}`));
  return ["", line(head), ...rows.map(line), ...faults, ""].join("\n");
}

function seconds(ms) {
  return (ms / 1_000).toFixed(1);
}

/** The last line of several commands; a failed step that is no test shows in it too. */
function printSum(failedSteps) {
  const totals = recordedTotals();
  const failures = totals.reduce((sum, total) => sum + total.failed, 0);
  const missing = Math.max(0, failedSteps.length - failures);
  print(closingLine([...totals, { passed: 0, failed: missing }]));
  return 0;
}

function print(text) {
  console.log(text);
  return 0;
}

process.exitCode = await main(process.argv.slice(2));
