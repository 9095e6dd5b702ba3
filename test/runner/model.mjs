#!/usr/bin/env node
// Checks the model of a task's protocol with Spin: what must hold, and the bugs that must be found.
import { parseArgs } from "node:util";

const help = `npm run model [-- --nodes 2|3] [--json]

Checks test/model/task.pml in every state that it can reach: the properties must hold and all of the model be reached, each planted bug
must be found, and each assumption be needed. Takes a minute or two on one core for two nodes, some more for three.

  --nodes N   2 or 3; default both
  --json      print what was found as JSON
  --help      print this`;

async function main(argv) {
  const { values } = read(argv);
  if (values.help) return print(help);
  if (values.nodes !== undefined && !["2", "3"].includes(values.nodes)) return refuse("--nodes must be 2 or 3");
  const { checksFor, judge } = await import("../model/judgement.mjs");
  const nodes = values.nodes === undefined ? [2, 3] : [Number(values.nodes)];
  const judgements = await judge(nodes.flatMap(checksFor), (line) => console.error(line));
  print(values.json ? JSON.stringify(judgements, null, 2) : tableOf(judgements));
  return judgements.every(({ asExpected }) => asExpected) ? 0 : 1;
}

function read(argv) {
  const options = { nodes: { type: "string" }, json: { type: "boolean" }, help: { type: "boolean" } };
  try {
    return parseArgs({ args: argv, options });
  } catch (error) {
    process.exit(refuse(error.message));
  }
}

function tableOf(judgements) {
  const head = ["property or planted bug", "nodes", "self-fencing", "states", "seconds", "verdict"];
  const rows = judgements.flatMap(rowsOf);
  const width = (column) => Math.max(...[head, ...rows].map((row) => row[column].length));
  const isNumber = (column) => column === 3 || column === 4;
  const cell = (text, i) => (isNumber(i) ? text.padStart(width(i)) : text.padEnd(width(i)));
  const line = (row) => row.map(cell).join("  ").trimEnd();
  return ["", line(head), ...rows.map(line), "", totalOf(judgements)].join("\n");
}

/** One for each property; the figures of a run stand beside its first. */
function rowsOf({ check, finding, told }) {
  const names = check.plants ? [check.plants] : check.properties;
  const setting = [String(check.nodes), check.selfFencing ? "yes" : "no"];
  const figures = [finding.states.toLocaleString("en"), finding.seconds.toFixed(1)];
  return names.map((name, index) => [name, ...setting, ...(index === 0 ? figures : ["″", "″"]), told]);
}

function totalOf(judgements) {
  const share = (kind) => {
    const those = judgements.filter(({ check }) => check.kind === kind);
    return `${those.filter(({ asExpected }) => asExpected).length} of ${those.length}`;
  };
  return `${share("property")} runs hold, ${share("bug")} planted bugs found, ${share("assumption")} assumptions needed`;
}

function refuse(fault) {
  console.error(`${fault}\n\n${help}`);
  return 2;
}

function print(text) {
  console.log(text);
  return 0;
}

process.exitCode = await main(process.argv.slice(2));
