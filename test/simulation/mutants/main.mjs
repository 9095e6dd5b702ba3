#!/usr/bin/env node
// Plants every mutant, those of the protocol into the simulation and those of the SQL into a real Postgres, and tells
// what found each.
import { parseArgs } from "node:util";
import { startPostgres } from "@tickwheel/local-services";
import { runSimulationMutants, simulationMutants } from "./simulation-mutants.mjs";
import { runSqlMutants, sqlMutants } from "./sql-mutants.mjs";

const MAJORS = [18, 15];
const NAME_WIDTH = Math.max(...[...simulationMutants, ...sqlMutants].map((name) => name.length));
/** The width of the help's lists. */
const LINE_LENGTH = 115;
const INDENT = 22;

const help = `npm run mutants [-- --only <name>… --simulation-only --sql-only --postgres ${MAJORS.join("|")} --seeds N --jobs N --json]

Plants one bug after the other and has it found: those of test/simulation/mutants/simulation by seeds of the simulation, until one breaks
a rule; those of test/simulation/mutants/sql by the conformance suite on real Postgres. The same is run with nothing changed, and must find
nothing. Fails where a mutant is not found. Takes about a quarter of an hour on two cores.

  --only <name>      this mutant, may be given again:
                     ${inLines(simulationMutants)}
                     ${inLines(sqlMutants)}
  --simulation-only  those of the simulation
  --sql-only         those of the SQL
  --postgres N       the server's major version, may be given again; default: ${MAJORS.join(" and ")}
  --seeds N          within so many seeds each must be found, default 5,000
  --jobs N           so many mutants at once, default 2
  --json             end with one line of JSON
  --help             print this`;

const options = {
  only: { type: "string", multiple: true },
  postgres: { type: "string", multiple: true },
  "simulation-only": { type: "boolean" },
  "sql-only": { type: "boolean" },
  seeds: { type: "string" },
  jobs: { type: "string" },
  json: { type: "boolean" },
  help: { type: "boolean" },
};

async function main(argv) {
  const { values, fault } = read(argv);
  if (fault) return refuse(fault);
  if (values.help) return print(help);
  const { only = [], seeds, jobs, postgres = MAJORS } = values;
  const chosen = (names, isLeftOut) =>
    isLeftOut ? [] : names.filter((name) => only.length === 0 || only.includes(name));
  const amounts = { seeds: numberOf(seeds), jobs: numberOf(jobs) };
  const simulation = await onSimulation(chosen(simulationMutants, values["sql-only"]), amounts);
  const sql = await onEachPostgres(chosen(sqlMutants, values["simulation-only"]), {
    ...amounts,
    majors: postgres.map(Number),
  });
  const ok = [...simulation, ...sql].every(({ asExpected }) => asExpected);
  const kinds = [total(simulation, "simulation"), total(sql, "SQL")];
  print(kinds.filter((each) => each !== null).join(", "));
  if (values.json) print(JSON.stringify({ ok, simulation, sql }));
  return ok ? 0 : 1;
}

async function onSimulation(only, amounts) {
  if (only.length === 0) return [];
  return runSimulationMutants({ ...amounts, only, report: (verdict) => print(lineOf(verdict, "simulation")) });
}

async function onEachPostgres(only, { jobs, majors }) {
  const verdicts = [];
  for (const postgres of only.length > 0 ? majors : []) {
    const server = await startPostgres({ major: postgres, settings: { fsync: false } });
    const report = (verdict) => print(lineOf(verdict, `Postgres ${postgres}`));
    try {
      const judged = await runSqlMutants({ url: server.url, only, jobs, report });
      verdicts.push(...judged.map((verdict) => ({ postgres, ...verdict })));
    } finally {
      await server.stop();
    }
  }
  return verdicts;
}

function lineOf({ mutant, told, seconds }, where) {
  const name = (mutant ?? "(nothing changed)").padEnd(NAME_WIDTH);
  return `${name}  ${where.padEnd(11)}  ${seconds.toFixed(1).padStart(6)} s  ${told}`;
}

/** A mutant is found where every server's run found it. Null: none was asked for. */
function total(verdicts, kind) {
  const names = new Set(verdicts.flatMap(({ mutant }) => mutant ?? []));
  const missed = new Set(verdicts.flatMap(({ mutant, asExpected }) => (asExpected ? [] : (mutant ?? []))));
  return names.size === 0 ? null : `${names.size - missed.size} of ${names.size} ${kind} mutants found`;
}

function inLines(names) {
  const lines = [""];
  for (const name of names.map((each, place) => (place < names.length - 1 ? `${each},` : each))) {
    if (`${lines.at(-1)} ${name}`.length > LINE_LENGTH) lines.push("");
    lines.push(`${lines.pop()} ${name}`.trim());
  }
  return lines.join(`\n${" ".repeat(INDENT - 1)}`);
}

function read(argv) {
  try {
    const { values } = parseArgs({ args: argv, options });
    return { values, fault: faultOf(values) };
  } catch (error) {
    return { fault: error.message };
  }
}

function faultOf({ only = [], postgres = [], seeds = "1", jobs = "1", ...rest }) {
  const unknown = only.filter((name) => !simulationMutants.includes(name) && !sqlMutants.includes(name));
  if (unknown.length > 0) return `There is no mutant ${unknown.join(", ")}.`;
  if (postgres.some((major) => !MAJORS.includes(Number(major)))) return `--postgres must be ${MAJORS.join(" or ")}.`;
  if (![seeds, jobs].every((text) => /^[1-9]\d*$/.test(text)))
    return "--seeds and --jobs must be whole numbers above 0.";
  if (rest["simulation-only"] && rest["sql-only"]) return "--simulation-only and --sql-only leave nothing.";
  return null;
}

function numberOf(text) {
  return text === undefined ? undefined : Number(text);
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
