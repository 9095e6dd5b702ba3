// The table of fail-overs in docs/reliability.md, made of the rounds that the tests have told.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "../..");
const PAGE = join(root, "docs/reliability.md");
const FORMATTER = join(root, "node_modules/oxfmt/bin/oxfmt");
const [BEGIN, END] = ["<!-- fail-overs:begin -->", "<!-- fail-overs:end -->"];
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
  const page = readFileSync(PAGE, "utf8");
  const [from, to] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (from < 0 || to < from) throw new Error(`${PAGE} has no ${BEGIN} and ${END}`);
  writeFileSync(PAGE, `${page.slice(0, from)}${BEGIN}\n\n${made}\n\n${tableOf(rounds)}\n\n${page.slice(to)}`);
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
    const sorted = rounds.map((round) => round[name] / 1_000).sort((one, other) => one - other);
    return `${sorted[Math.floor(sorted.length / 2)].toFixed(1)} (${sorted.at(-1).toFixed(1)})`;
  };
  const cells = [rounds[0].servers, rounds[0].what, rounds.length, ...["acknowledged", "lost", "ranAgain"].map(sum)];
  return `| ${[...cells, ...["awayMs", "createMs", "startMs"].map(times)].join(" | ")} |`;
}
