#!/usr/bin/env node
// Plants every mutant, those of the protocol into the simulation and those of the SQL into a real Postgres, and tells what found each.
import { parseArgs } from "node:util";
import { startPostgres } from "@tickwheel/local-services";
import { runSimulationMutants, simulationMutants } from "./simulation-mutants.mjs";
import { runSqlMutants, sqlMutants } from "./sql-mutants.mjs";

const MAJORS = [18, 15];
/** Of the help's lists. */
const LINE_LENGTH = 115;
const INDENT = 19;

const help = `npm run mutants [-- --only <names>] [--seeds N] [--json]

Plants one bug after the other and has it found: those of test/simulation/mutants/simulation by seeds of the simulation, until one breaks
a rule; those of test/simulation/mutants/sql by the conformance suite, on real Postgres ${MAJORS.join(" and ")}. Fails where one is not found.
Takes about a quarter of an hour on two cores.

  --only <names>   some mutants, with commas between them:
                   ${inLines(simulationMutants)}
                   ${inLines(sqlMutants)}
  --seeds N        within so many seeds each must be found, default 5,000
  --json           print the verdicts as JSON
  --help           print this`;

async function main(argv) {
  const values = read(argv);
  if (values.help) return print(help);
  const seeds = values.seeds === undefined ? undefined : Number(values.seeds);
  if (seeds !== undefined && !(Number.isInteger(seeds) && seeds > 0)) return refuse("--seeds must be a whole number");
  const only = values.only?.split(",") ?? [...simulationMutants, ...sqlMutants];
  const unknown = only.filter((name) => !simulationMutants.includes(name) && !sqlMutants.includes(name));
  if (unknown.length > 0) return refuse(`there is no mutant ${unknown.join(", ")}`);
  const report = ({ says, told, seconds }) => console.error(`${seconds.toFixed(1).padStart(7)} s  ${says}: ${told}`);
  const simulated = simulationMutants.filter((name) => only.includes(name));
  const simulation = await runSimulationMutants({ seeds, only: simulated, report });
  const sql = await onEachPostgres({ only: sqlMutants.filter((name) => only.includes(name)), report });
  print(values.json ? JSON.stringify({ simulation, sql }) : tableOf({ simulation, sql }));
  return [...simulation, ...sql.flatMap(({ verdicts }) => verdicts)].every(({ asExpected }) => asExpected) ? 0 : 1;
}

async function onEachPostgres({ only, report }) {
  const runs = [];
  for (const major of only.length > 0 ? MAJORS : []) {
    console.error(`Postgres ${major}:`);
    const server = await startPostgres({ major, settings: { fsync: false } });
    try {
      runs.push({ major, verdicts: await runSqlMutants({ url: server.url, only, report }) });
    } finally {
      await server.stop();
    }
  }
  return runs;
}

function tableOf({ simulation, sql }) {
  const head = ["mutant", "where", "seeds", "seconds", "verdict"];
  const rows = [
    ...simulation.map((verdict) => rowOf(verdict, "simulation", verdict.seeds.toLocaleString("en"))),
    ...sql.flatMap(({ major, verdicts }) => verdicts.map((verdict) => rowOf(verdict, `Postgres ${major}`, ""))),
  ];
  const width = (column) => Math.max(...[head, ...rows].map((row) => row[column].length));
  const isNumber = (column) => column === 2 || column === 3;
  const cell = (text, i) => (isNumber(i) ? text.padStart(width(i)) : text.padEnd(width(i)));
  const line = (row) => row.map(cell).join("  ").trimEnd();
  const totals = [
    total(simulation, "in the simulation"),
    ...sql.map(({ major, verdicts }) => total(verdicts, `on Postgres ${major}`)),
  ];
  return ["", line(head), ...rows.map(line), "", `mutants found: ${totals.join(", ")}`].join("\n");
}

function rowOf({ says, told, seconds }, where, seeds) {
  return [says, where, seeds, seconds.toFixed(1), told.split("\n")[0]];
}

function total(verdicts, where) {
  const mutants = verdicts.filter(({ mutant }) => mutant !== null);
  return `${mutants.filter(({ asExpected }) => asExpected).length} of ${mutants.length} ${where}`;
}

function inLines(names) {
  const lines = [""];
  for (const name of names.map((each, place) => (place < names.length - 1 ? `${each},` : each))) {
    if (`${lines.at(-1)} ${name}`.length > LINE_LENGTH) lines.push("");
    lines.push(`${lines.pop()} ${name}`.trim());
  }
  return lines.join(`\n${" ".repeat(INDENT)}`);
}

function read(argv) {
  const options = {
    ...{ only: { type: "string" }, seeds: { type: "string" } },
    ...{ json: { type: "boolean" }, help: { type: "boolean" } },
  };
  try {
    return parseArgs({ args: argv, options }).values;
  } catch (error) {
    process.exit(refuse(error.message));
  }
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
