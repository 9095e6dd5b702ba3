#!/usr/bin/env node
// Runs kinds of tests, one after the other, and closes with a table and a plain line of totals.
import { runKind } from "./jest-kind.mjs";
import { clearTotals, closingLine, recordTotals, recordedTotals } from "./totals.mjs";

const help = `node test/runner/run-tests.mjs [--fresh] <kind…> [-- <arguments for Jest>]
node test/runner/run-tests.mjs --total [<failed step…>]

Kinds: the projects of jest.config.mjs. Each runs in a Jest process of its own.
It fails when a test fails, is skipped or is a todo, when a kind has files but ran no test, or does not end.
A kind without files is listed with 0.

  --fresh   forget the totals that earlier commands recorded in test/results/
  --total   run nothing: print the sum of all recorded totals, each kind once; every failed step counts as one failure at least
  --help    print this

With arguments for Jest (a path, -t <name>) the run is partial: skipped tests are allowed, totals are not recorded.`;

async function main(argv) {
  const cut = argv.includes("--") ? argv.indexOf("--") : argv.length;
  const words = argv.slice(0, cut).filter((word) => !word.startsWith("--"));
  const options = new Set(argv.slice(0, cut).filter((word) => word.startsWith("--")));
  if (options.has("--help")) return print(help);
  if (options.has("--fresh")) clearTotals();
  if (options.has("--total")) return printSum(words);
  return runKinds(words, argv.slice(cut + 1));
}

async function runKinds(kinds, jestArguments) {
  const { default: config } = await import("../../jest.config.mjs");
  const known = config.projects.map((project) => project.displayName);
  const unknown = kinds.filter((kind) => !known.includes(kind));
  if (kinds.length === 0 || unknown.length > 0) {
    const complaint = unknown.length > 0 ? `No such kind: ${unknown.join(", ")}.` : "Name at least one kind.";
    print(`${complaint} Kinds: ${known.join(", ")}.`);
    return 1;
  }
  const partial = jestArguments.length > 0;
  const totals = [];
  for (const kind of kinds) {
    print(`\n── ${kind}`);
    totals.push(withSkippedAsFault(await runKind(kind, jestArguments), partial));
  }
  if (!partial) recordTotals(totals);
  print(table(totals));
  print(closingLine(totals));
  return totals.every((total) => total.failed === 0) ? 0 : 1;
}

/** A skipped test hides something: it fails its kind, but for runs that were narrowed on purpose. */
function withSkippedAsFault(total, partial) {
  if (partial || total.skipped === 0) return total;
  return { ...total, failed: Math.max(total.failed, 1), faults: [...total.faults, "no test may be skipped or a todo"] };
}

function table(totals) {
  const head = ["kind", "files", "ran", "passed", "failed", "skipped", "seconds"];
  const rows = totals.map((total) => [
    total.kind,
    ...[total.files, total.passed + total.failed, total.passed, total.failed, total.skipped].map(String),
    (total.ms / 1000).toFixed(1),
  ]);
  const width = (column) => Math.max(...[head, ...rows].map((row) => row[column].length));
  const line = (row) => row.map((cell, i) => (i === 0 ? cell.padEnd(width(i)) : cell.padStart(width(i)))).join("  ");
  const faults = totals.flatMap((total) => total.faults.map((fault) => `${total.kind}: ${fault}`));
  return ["", line(head), ...rows.map(line), ...faults, ""].join("\n");
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
