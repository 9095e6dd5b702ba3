// The table of fail-overs in docs/reliability.md, made of the rounds that the tests have told.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { betweenMarks } from "../bench/dist/marked-text.js";
import { median } from "../bench/dist/statistics.js";

const root = join(import.meta.dirname, "../..");
const PAGE = join(root, "docs/reliability.md");
const FORMATTER = join(root, "node_modules/oxfmt/bin/oxfmt");
const MARK = "fail-overs";
const HEAD = [
  "| servers | what happens to the primary | rounds | acknowledged | lost | ran again | away, s | then a create, s | then a start, s |",
  "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
];

/**
 * @typedef {{ servers: string, what: string, acknowledged: number, lost: number, ranAgain: number, awayMs: number,
 *   createMs: number, startMs: number }} Round as `test/support/fail-over/rounds.ts` tells it
 */

/**
 * A line for each way to lose a primary. Tasks are added up; of times the median and the worst are shown.
 *
 * @param {readonly Round[]} rounds
 */
export function tableOf(rounds) {
  const groups = grouped(rounds);
  return [...HEAD, ...[...groups.values()].map(lineOf)].join("\n");
}

/**
 * Writes the table into the page.
 *
 * @param {readonly Round[]} rounds
 * @param {string} made when and by which command
 */
export function writeTable(rounds, made) {
  writeFileSync(PAGE, betweenMarks(readFileSync(PAGE, "utf8"), MARK, `${made}\n\n${tableOf(rounds)}`));
  execFileSync(process.execPath, [FORMATTER, PAGE], { stdio: "ignore" });
}

function nameOf({ servers, what }) {
  return `${servers}\n${what}`;
}

function grouped(rounds) {
  const groups = new Map();
  for (const round of rounds) groups.set(nameOf(round), [...(groups.get(nameOf(round)) ?? []), round]);
  return groups;
}

function lineOf(rounds) {
  const sum = (name) => rounds.reduce((total, round) => total + round[name], 0).toLocaleString("en");
  const times = (name) => {
    const seconds = rounds.map((round) => round[name] / 1_000);
    return `${median(seconds).toFixed(1)} (${Math.max(...seconds).toFixed(1)})`;
  };
  const cells = [rounds[0].servers, rounds[0].what, rounds.length, ...["acknowledged", "lost", "ranAgain"].map(sum)];
  return `| ${[...cells, ...["awayMs", "createMs", "startMs"].map(times)].join(" | ")} |`;
}
