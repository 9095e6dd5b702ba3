#!/usr/bin/env node
// Runs kinds of tests, and closes with what was left out, the slowest files, a table and a plain line of totals.
import { build } from "./build.mjs";
import { changedFiles } from "./changed-files.mjs";
import { relatedFiles, runKinds } from "./jest-run.mjs";
import { measureMachine } from "./machine-speed.mjs";
import { planOf } from "./plan.mjs";
import { specFiles } from "./spec-files.mjs";
import { recordedTimes, writeTimes } from "./times.mjs";
import { clearTotals, closingLine, recordTotals, recordedTotals } from "./totals.mjs";
import { commitNumber, filesSinceBase, touchedSpecs } from "./touched-files.mjs";

const help = `node test/runner/run-tests.mjs [options] <kind…> [-- [--all | --changed] <arguments for Jest>]
node test/runner/run-tests.mjs --total [<failed step…>]

Kinds: those of jest.config.mjs. Kinds of one group run in one Jest process, two or three files at once.
It fails when a test fails, is skipped or is a todo, when a kind has files but ran no test, or does not end.
A file that failed is run once more, alone; passes it then, it is told as flaky. A broken promise is never run again.
The machine is measured before each group; where it is slow, what hangs is given longer.

  --build         build first what is not built
  --budget <s>    what is to be over after so many seconds: unit, property, architecture, the conformance of Postgres,
                  what the change touches (since CI_BASE, by default since twelve hours ago), then the other files in
                  their turn. The seconds count from CI_STARTED_AT (in seconds since 1970), or from now
  --write-times   write down in times.json how long the files took
  --fresh         forget the totals that earlier commands recorded in test/results/
  --whole         run proofs as a whole of which a sample is run otherwise, as before a release: hours
  --total         run nothing: print the sum of all recorded totals, each kind once; every failed step counts as one
                  failure at least
  --all           leave nothing out, whatever the budget
  --changed       run what imports a file that differs from the last commit, or from main on a branch
  --help          print this

With a part of a path, or arguments for Jest (-t <name>), the run is partial: skipped tests are allowed, totals are not recorded.`;

const SLOWEST = 10;
/** Options of Jest that have a value. */
const VALUED = new Set(["-t", "--testNamePattern", "--seed"]);
/** What is kept of a budget for the start and the end of a run, in seconds. */
const RESERVE_SECONDS = 20;
/** Three files at once on two processors take so many times what each takes alone, which is what is recorded. */
const CROWDED = 1.6;
const ALWAYS = "test/conformance/postgres-store.spec.ts";

async function main(argv) {
  const cut = argv.includes("--") ? argv.indexOf("--") : argv.length;
  const { words, options, budgetSeconds } = parse(argv.slice(0, cut));
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
  const asked = argv.slice(cut + 1).filter((word) => word !== "--all");
  const endsAtMs = endOf(budgetSeconds);
  if (options.has("--build")) await build();
  const isLimited = endsAtMs !== null && asked.length === 0 && !argv.slice(cut + 1).includes("--all");
  const wanted = groups
    .map(({ kinds, workers }) => ({ kinds: kinds.filter((kind) => words.includes(kind)), workers }))
    .filter(({ kinds }) => kinds.length > 0);
  const run = { asked, isWhole: options.has("--whole"), endsAtMs: isLimited ? endsAtMs : null };
  return runGroups(wanted, { ...run, writesTimes: options.has("--write-times") });
}

function parse(argv) {
  const at = argv.indexOf("--budget");
  const budgetSeconds = at < 0 ? null : Number(argv[at + 1]);
  const rest = at < 0 ? argv : argv.toSpliced(at, 2);
  return {
    budgetSeconds,
    words: rest.filter((word) => !word.startsWith("--")),
    options: new Set(rest.filter((word) => word.startsWith("--"))),
  };
}

function endOf(budgetSeconds) {
  if (budgetSeconds === null) return null;
  const startedAt = process.env["CI_STARTED_AT"];
  return (startedAt ? Number(startedAt) * 1_000 : Date.now()) + budgetSeconds * 1_000;
}

async function runGroups(groups, { asked, isWhole, endsAtMs, writesTimes }) {
  const { parts, jestArguments, isChanged } = askedFor(asked);
  const isPartial = asked.length > 0;
  const related = isChanged ? new Set(await relatedFiles(changedFiles())) : null;
  const isAsked = (file) =>
    (related?.has(file) ?? true) && (parts.length === 0 || parts.some((part) => part.test(file)));
  const totals = [];
  const flaky = [];
  const left = [];
  for (const { kinds, workers } of groups) {
    const machine = measureMachine();
    print(`\n── ${kinds.join(", ")}${toldOf(machine)}`);
    const { slowness } = machine;
    const plan = endsAtMs === null ? null : planWithin(kinds, { workers, slowness, endsAtMs });
    const touched = new Set(plan?.touchedLeft);
    left.push(...(plan?.left ?? []).map((file) => (touched.has(file) ? `${file} (the change touches it)` : file)));
    const files = plan?.run ?? specFiles(kinds).filter(isAsked);
    const ran = await runKinds(kinds, { workers, jestArguments, slowness, isWhole, files, inSuites: !isPartial });
    flaky.push(...ran.flaky);
    for (const total of ran.totals) totals.push(withSkippedAsFault(total, isPartial));
    if (writesTimes) recordTimes(ran.totals, slowness);
  }
  if (!isPartial) recordTotals(totals);
  print(leftOut(left));
  print(slowestOf(totals));
  print(table(totals));
  if (flaky.length > 0) print(`${flaky.join("\n")}\n`);
  print(closingLine(totals));
  return totals.every((total) => total.failed === 0) ? 0 : 1;
}

function toldOf({ slowness, load, cores }) {
  return slowness > 1 ? `; this machine is slow just now: limits × ${slowness}, load ${load}, ${cores} cores` : "";
}

/** What of these kinds fits into the time that is left. */
function planWithin(kinds, { workers, slowness, endsAtMs }) {
  const files = specFiles(kinds);
  const secondsLeft = Math.max(0, (endsAtMs - Date.now()) / 1_000 - RESERVE_SECONDS);
  const processor = ["unit", "property", "architecture"];
  const plan = planOf({
    files,
    times: recordedTimes(),
    isAlways: (file) => file === ALWAYS || kinds.every((kind) => processor.includes(kind)),
    touched: touchedSpecs(files, filesSinceBase()),
    turn: commitNumber(),
    budgetSeconds: (secondsLeft * workers) / (slowness * CROWDED),
  });
  print(`${plan.run.length} of ${files.length} files, for about ${Math.round((plan.seconds * CROWDED) / workers)} s`);
  return plan;
}

/** Words are parts of paths, as regular expressions; what begins with a dash is Jest's, with the value behind it. */
function askedFor(words) {
  const parts = [];
  const jestArguments = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at];
    if (word === "--changed") continue;
    if (!word.startsWith("-")) parts.push(new RegExp(word));
    else if (VALUED.has(word)) jestArguments.push(word, words[++at] ?? "");
    else jestArguments.push(word);
  }
  return { parts, jestArguments, isChanged: words.includes("--changed") };
}

/** A skipped test hides something: it fails its kind, but for runs that were narrowed on purpose. */
function withSkippedAsFault(total, partial) {
  if (partial || total.skipped === 0) return total;
  return { ...total, failed: Math.max(total.failed, 1), faults: [...total.faults, "no test may be skipped or a todo"] };
}

function recordTimes(totals, slowness) {
  const measured = totals.flatMap(({ slowest }) => slowest).map(({ file, ms }) => [file, ms / 1_000 / slowness]);
  const kinds = totals.map(({ kind }) => kind);
  const others = Object.keys(recordedTimes()).filter((file) => !measured.some(([path]) => path === file));
  const there = new Set([...specFiles(kinds), ...others]);
  writeTimes(Object.fromEntries(measured), [...there].toSorted());
}

/** What the budget left out, by name, and how to run it. */
function leftOut(files) {
  if (files.length === 0) return "";
  const names = files.map((file) => `  ${file}`).join("\n");
  const how = "npm run test:servers -- --all runs all, npm run test:servers -- <part of a path> some";
  return `\nleft out, until their turn comes (${how}):\n${names}`;
}

function slowestOf(totals) {
  const files = totals.flatMap(({ slowest }) => slowest).sort((a, b) => b.ms - a.ms);
  const lines = files.slice(0, SLOWEST).map(({ file, ms }) => `${seconds(ms).padStart(7)} s  ${file}`);
  return lines.length === 0 ? "" : ["", "the slowest files", ...lines].join("\n");
}

/** The seconds are those of the kind's files, added up; two or three run at once. */
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
  if (text !== "") console.log(text);
  return 0;
}

process.exitCode = await main(process.argv.slice(2));
