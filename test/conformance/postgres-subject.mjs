// The Postgres stores as subjects of the conformance suite. Plain JavaScript, so that what runs without Jest has them
// too.
import { startPostgres } from "@tickwheel/local-services";
import { migrate, openPostgres, PostgresSettingStore } from "@tickwheel/postgres-store";
import pg from "pg";
import { DataSource } from "typeorm";
import { urlForSpecs } from "../support/servers/test-role.mjs";
import { PostgresGates } from "./postgres-gates.mjs";

/**
 * @typedef {import("@tickwheel/conformance").TaskStoreSubject} TaskStoreSubject
 * @typedef {import("@tickwheel/conformance").InterleavingSubject} InterleavingSubject
 * @typedef {{ subject: TaskStoreSubject, interleaved: InterleavingSubject, stop: () => Promise<void> }}
 *   PostgresSubjects
 */

/** Where the suite's time begins: any day will do. */
const FIRST_INSTANT = Date.UTC(2027, 0, 15, 11, 59, 30);
/** One whose clocks change twice a year: arithmetic with days would show. */
const TIME_ZONE = "Europe/Berlin";
/**
 * The lock time-out of the gated stores: long enough for a statement to be seen waiting, short enough to wait for its
 * end.
 */
const GATED_LOCK_TIMEOUT_MS = 300;
/** No statement of a case takes as long, and none that hangs takes longer. */
const GATED_STATEMENT_TIMEOUT_MS = 20_000;

/**
 * Subjects over a server of their own: one over tables as they are, and one over tables with gates, in a database of
 * its own.
 *
 * @param {import("@tickwheel/local-services").PostgresOptions} [options]
 * @returns {Promise<PostgresSubjects>}
 */
export async function startPostgresSubjects(options = {}) {
  const server = await startPostgres({ settings: { fsync: false, timezone: TIME_ZONE }, ...options });
  const plain = await openPostgresSubject(await urlForSpecs(server.url));
  const gated = await openGatedSubject(await urlForSpecs(await server.createDatabase("interleavings")));
  return {
    subject: plain.subject,
    interleaved: gated.subject,
    stop: async () => {
      await plain.close();
      await gated.close();
      await server.stop();
    },
  };
}

/**
 * The stores over an empty database, with time that stands still; callers' transactions are TypeORM's.
 *
 * @param {string} url
 * @returns {Promise<{ subject: TaskStoreSubject, close: () => Promise<void> }>}
 */
export async function openPostgresSubject(url, storeOptions = {}) {
  await migrate(url);
  let now = FIRST_INSTANT;
  let namespaces = 0;
  let promotions = 0;
  const stores = openPostgres({ url, ...storeOptions, asOf: () => now });
  const settings = new PostgresSettingStore(
    stores.database,
    onLaterTimeline(stores.tasks.reads, () => promotions),
    { asOf: () => now },
  );
  const dataSource = await new DataSource({
    type: "postgres",
    url,
    extra: { options: callerSettings, onConnect: hearErrors },
  }).initialize();
  return {
    subject: {
      store: () => stores.tasks,
      cluster: () => stores.cluster,
      events: () => stores.events,
      schedules: () => stores.schedules,
      effects: () => stores.effects,
      settings: () => settings,
      limits: () => stores.limits,
      leases: () => stores.leases,
      pulse: () => stores.pulse,
      breakers: () => stores.breakers,
      promote: () => void promotions++,
      stepClock: (byMs) => void (now += byMs),
      advance: (delayMs) => void (now += delayMs),
      now: () => now,
      transaction: (work) => dataSource.transaction(work),
      freshNamespace: () => `case-${++namespaces}`,
    },
    close: async () => {
      await dataSource.destroy();
      await stores.close();
    },
  };
}

/** The same connections, whose server seems to have been promoted so often. */
function onLaterTimeline(reads, promotions) {
  const later = (timeline) => (Number.parseInt(timeline, 16) + promotions()).toString(16);
  return {
    run: async (statement, ...given) => {
      const rows = await reads.run(statement, ...given);
      return statement.name === "timeline" ? rows.map(later) : rows;
    },
    transaction: (work, options) => reads.transaction(work, options),
  };
}

/** A session that is ended while nobody uses it says so in an event; unheard, that ends the process. */
function hearErrors(client) {
  client.on("error", () => {});
}

/** A caller's statement that hangs ends as well. */
const callerSettings = `-c statement_timeout=${GATED_STATEMENT_TIMEOUT_MS}`;

/**
 * The same with gates at its tables.
 *
 * @param {string} url
 * @returns {Promise<{ subject: InterleavingSubject, close: () => Promise<void> }>}
 */
export async function openGatedSubject(url) {
  const timeouts = { lockTimeoutMs: GATED_LOCK_TIMEOUT_MS, statementTimeoutMs: GATED_STATEMENT_TIMEOUT_MS };
  const { subject, close } = await openPostgresSubject(url, timeouts);
  const gates = await PostgresGates.install(url);
  const live = openPostgres({ url, ...timeouts });
  return {
    subject: {
      ...subject,
      untilBlocked: (count, signal) => gates.untilBlocked(count, signal),
      holdWrites: (taskId) => gates.holdWrites(taskId),
      holdClusterWrites: (row) => gates.holdClusterWrites(row),
      holdNextStatement: () => gates.holdNextStatement(),
      liveStore: () => live.tasks,
      elapse: async (delayMs) => {
        await subject.advance(delayMs);
        await gates.elapse(delayMs);
      },
    },
    close: async () => {
      await gates.uninstall();
      await live.close();
      await close();
    },
  };
}

/**
 * Makes an empty database beside that of the url.
 *
 * @param {string} url
 * @param {string} name plain lower-case letters and underscores
 * @returns {Promise<string>} its url
 */
export async function addDatabase(url, name) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(`CREATE DATABASE ${client.escapeIdentifier(name)}`);
  await client.end();
  const added = new URL(url);
  added.pathname = `/${name}`;
  return added.href;
}
