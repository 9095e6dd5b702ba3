// How long each spec file takes on a quiet machine with two processors: `times.json`, written by `npm run test:times`.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { kindOf } from "../../jest.config.mjs";

const timesFile = join(import.meta.dirname, "times.json");

/**
 * A file takes so many seconds at most, three at once on two processors; `long`: one that starts processes or a
 * browser.
 */
export const MOST_SECONDS = { short: 20, long: 40 };
/** Files that were longer when the limits were set: each has a limit of its own until it is split. */
const LONGER = {
  "test/abuse/blocked-loop.spec.ts": 60,
  "test/abuse/busy-machine.spec.ts": 60,
  "test/abuse/chaos.spec.ts": 105,
  // What is full is looked at again, and told, only when the instants that were planned ahead have passed.
  "test/abuse/endless-schedules.spec.ts": 60,
  "test/abuse/fuzzed-requests.spec.ts": 100,
  "test/abuse/hostile-messages.spec.ts": 55,
  "test/abuse/late-starts.spec.ts": 55,
  "test/abuse/rude-connections.spec.ts": 125,
  "test/abuse/rude-requests.spec.ts": 55,
  "test/browser/dashboard-access.spec.ts": 105,
  "test/browser/dashboard-batches.spec.ts": 105,
  "test/browser/dashboard-cluster.spec.ts": 70,
  "test/browser/dashboard-findings.spec.ts": 145,
  "test/browser/dashboard-frame.spec.ts": 85,
  "test/browser/dashboard-overview.spec.ts": 90,
  "test/browser/dashboard-schedules.spec.ts": 110,
  "test/browser/dashboard-tasks.spec.ts": 55,
  "test/ci/alerts.spec.ts": 65,
  "test/ci/conformance-postgres-15.spec.ts": 55,
  "test/ci/demo.spec.ts": 55,
  "test/ci/install-guide.spec.ts": 145,
  "test/ci/killed-migration.spec.ts": 50,
  "test/ci/model.spec.ts": 135,
  "test/ci/online-migration.spec.ts": 50,
  "test/ci/packed-application.spec.ts": 100,
  "test/ci/simulation-mutants.spec.ts": 205,
  "test/ci/simulation.spec.ts": 105,
  "test/ci/sql-mutants.spec.ts": 70,
  "test/ci/timing-wheel.spec.ts": 95,
  "test/conformance/postgres-store.spec.ts": 60,
  "test/e2e/start-up.spec.ts": 55,
  "test/e2e/webhooks-of-a-cluster.spec.ts": 50,
  "test/faults/findings-postgres-away.spec.ts": 55,
  "test/faults/findings.spec.ts": 55,
  "test/faults/postgres-restarted.spec.ts": 50,
  "test/integration/api.outage.spec.ts": 25,
  "test/integration/authorisation.express.spec.ts": 35,
  "test/integration/authorisation.fastify.spec.ts": 30,
  "test/integration/client.consume.spec.ts": 25,
  "test/integration/metrics.spec.ts": 30,
  "test/integration/nestjs.spec.ts": 25,
  "test/integration/payload-round-trip.spec.ts": 35,
  "test/integration/postgres-store.tabs.spec.ts": 35,
  "test/integration/queues.spec.ts": 35,
  "test/integration/schedules.spec.ts": 30,
  "test/integration/testing-cluster-guide.spec.ts": 70,
  "test/integration/testing-guide.spec.ts": 45,
  "test/integration/testing-module-on-postgres.spec.ts": 40,
  "test/integration/transaction-libraries.spec.ts": 25,
};
const SHORT_KINDS = new Set(["unit", "property", "architecture", "conformance", "integration"]);
/**
 * What each kind may use of the budget of `.ci/run`, in seconds of its three files at once. A kind whose files take
 * more than three times that runs too seldom.
 */
const SHARES = { conformance: 21, integration: 156, e2e: 45, faults: 79, abuse: 85, ci: 132, browser: 101 };
const ROUNDS = 3;
const WORKERS = 3;

/** @returns {Record<string, number>} seconds by path */
export function recordedTimes() {
  return existsSync(timesFile) ? JSON.parse(readFileSync(timesFile, "utf8")) : {};
}

/**
 * Writes down how long files took, beside what is known of the others.
 *
 * @param {Record<string, number>} measured seconds by path
 * @param {readonly string[]} files those that there are: others are forgotten
 */
export function writeTimes(measured, files) {
  const known = { ...recordedTimes(), ...measured };
  const kept = files.filter((file) => known[file] !== undefined).map((file) => [file, tenths(known[file])]);
  writeFileSync(timesFile, `${JSON.stringify(Object.fromEntries(kept), null, 2)}\n`);
}

/**
 * What has grown too long, by name.
 *
 * @param {readonly string[]} files
 * @param {Record<string, number>} times
 * @returns {string[]} one sentence each; empty: everything fits
 */
export function overgrown(files, times) {
  const faults = [];
  for (const file of files) {
    const kind = kindOf(file);
    const most = LONGER[file] ?? (SHORT_KINDS.has(kind) ? MOST_SECONDS.short : MOST_SECONDS.long);
    if (times[file] > most)
      faults.push(`${file} takes ${times[file]} s, ${most} s at most: split it, or let it wait less`);
    if (times[file] === undefined && SHARES[kind] !== undefined)
      faults.push(`${file} has no time: npm run test:times -- ${file}`);
  }
  for (const [kind, share] of Object.entries(SHARES)) {
    const seconds = files.filter((file) => kindOf(file) === kind).reduce((sum, file) => sum + (times[file] ?? 0), 0);
    const most = share * WORKERS * ROUNDS;
    if (seconds > most) faults.push(`the files of ${kind} take ${tenths(seconds)} s together, ${most} s at most`);
  }
  return faults;
}

function tenths(seconds) {
  return Math.round(seconds * 10) / 10;
}
