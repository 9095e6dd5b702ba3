#!/usr/bin/env node
// Runs the tests of fail-overs that take too long for the suite, so many rounds of each.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { tableOf, writeTable } from "./fail-over-table.mjs";

const FILES = {
  failover: "test/release/failover.spec.ts",
  redis: "test/release/redis-failover.spec.ts",
};
const root = join(import.meta.dirname, "../..");
const DEFAULT_ROUNDS = 5;

const help = `npm run faults [-- --id <name>… --rounds N --save]

Starts servers with what manages their fail-over, and nodes under load; takes a primary away in each way, round by round; then counts
what was lost, doubled or early. All servers come from Debian's packages, run on 127.0.0.1 and end with the command.

  --id failover  Postgres: three under Patroni with etcd and HAProxy, with synchronous and with asynchronous standbys;
                 a primary is killed, stands still, is switched over, is cut off from etcd; etcd is away
  --id redis     Redis: three under Sentinel, and a Cluster of six; a primary is killed, stands still, is
                 switched over
                 Both may be given; default: both.
  --rounds N     how often each way is tried, default ${DEFAULT_ROUNDS}; a round takes about a minute
  --save         if all has passed, write the table of docs/reliability.md
  --help         print this`;

const options = {
  id: { type: "string", multiple: true },
  rounds: { type: "string" },
  save: { type: "boolean" },
  help: { type: "boolean" },
};

function main(argv) {
  const { values, faults } = read(argv);
  if (faults.length > 0) return refuse(faults);
  if (values.help) return print(help);
  const { id = Object.keys(FILES), rounds = String(DEFAULT_ROUNDS) } = values;
  const folder = mkdtempSync(join(tmpdir(), "tickwheel-fail-overs-"));
  const told = join(folder, "rounds.jsonl");
  writeFileSync(told, "");
  try {
    const passed = runTests(
      [...new Set(id)].map((name) => FILES[name]),
      { rounds, told },
    );
    const all = readFileSync(told, "utf8")
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line));
    print(`\n${tableOf(all)}`);
    if (passed && values.save)
      writeTable(all, `${new Date().toISOString().slice(0, 10)}; made by \`npm run faults -- ${argv.join(" ")}\`.`);
    return passed ? 0 : 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function runTests(files, { rounds, told }) {
  const args = [
    join(import.meta.dirname, "run-tests.mjs"),
    "release",
    "--",
    "--runInBand",
    "--runTestsByPath",
    ...files,
  ];
  const env = { ...process.env, TICKWHEEL_FAULT_ROUNDS: rounds, TICKWHEEL_FAIL_OVERS_FILE: told };
  return spawnSync(process.execPath, args, { cwd: root, env, stdio: "inherit" }).status === 0;
}

function read(argv) {
  try {
    const { values } = parseArgs({ args: argv, options });
    return { values, faults: faultsOf(values) };
  } catch (error) {
    return { values: {}, faults: [error.message] };
  }
}

function faultsOf({ id = [], rounds = "1" }) {
  const unknown = id.filter((name) => !(name in FILES));
  return [
    ...unknown.map((name) => `there is no --id ${name}: ${Object.keys(FILES).join(", ")}`),
    ...(/^[1-9]\d{0,2}$/.test(rounds) ? [] : ["--rounds must be a whole number from 1 to 999"]),
  ];
}

function refuse(faults) {
  console.error(["error:", ...faults.map((fault) => `  ${fault}`), "see npm run faults -- --help"].join("\n"));
  return 1;
}

function print(text) {
  console.log(text);
  return 0;
}

process.exitCode = main(process.argv.slice(2));
