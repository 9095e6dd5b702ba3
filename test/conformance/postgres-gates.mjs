// Gates at which the conformance suite stops statements in Postgres, and the look at what waits there.
import { setTimeout as wait } from "node:timers/promises";
import pg from "pg";
import { makeSchemas } from "../support/servers/test-role.mjs";

/** Longer than any wait that the suite forces, on a busy machine too. */
const BLOCKED_LIMIT_MS = 15_000;
const POLL_MS = 2;

/**
 * A statement that meets a closed gate waits for an advisory lock that the gate's own session holds; it lets go at once
 * when it has it, so that an open gate is passed without a trace. The lock time-outs of the stores are for rows, not
 * for gates.
 *
 * Row triggers come before the write, with the row's lock held. Triggers of a statement come once its snapshot is taken
 * and before it reads its first row; there the first that arrives takes the place at the gate and keeps it until its
 * transaction ends.
 */
const GATES = `
  DO $$ BEGIN IF to_regnamespace('gate') IS NULL THEN CREATE SCHEMA gate; END IF; END $$;
  CREATE FUNCTION gate.key(name text) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$ SELECT hashtextextended('gate ' || name, 0) $$;
  CREATE FUNCTION gate.pass(name text) RETURNS void LANGUAGE plpgsql SET lock_timeout = 0 AS $$
  BEGIN
    PERFORM pg_advisory_lock_shared(gate.key(name));
    PERFORM pg_advisory_unlock_shared(gate.key(name));
  END $$;
  CREATE FUNCTION gate.stop_row() RETURNS trigger LANGUAGE plpgsql AS $$
  DECLARE id text;
  BEGIN
    IF TG_ARGV[0] <> '' THEN EXECUTE format('SELECT ($1).%I::text', TG_ARGV[0]) INTO id USING CASE TG_OP WHEN 'INSERT' THEN NEW ELSE OLD END; END IF;
    PERFORM gate.pass(concat_ws(' ', TG_TABLE_NAME, id));
    RETURN CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
  END $$;
  CREATE FUNCTION gate.stop_statement() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF pg_try_advisory_lock_shared(gate.key('statement')) THEN
      PERFORM pg_advisory_unlock_shared(gate.key('statement'));
    ELSIF pg_try_advisory_xact_lock(gate.key('place')) THEN
      PERFORM gate.pass('statement');
    END IF;
    RETURN NULL;
  END $$;
  CREATE TRIGGER stop_statement BEFORE UPDATE OR DELETE ON tickwheel.task EXECUTE FUNCTION gate.stop_statement();
  CREATE TRIGGER stop_row BEFORE UPDATE OR DELETE ON tickwheel.task FOR EACH ROW EXECUTE FUNCTION gate.stop_row('id');
  CREATE TRIGGER stop_row BEFORE INSERT OR UPDATE OR DELETE ON tickwheel.node FOR EACH ROW EXECUTE FUNCTION gate.stop_row('boot_id');
  CREATE TRIGGER stop_row BEFORE UPDATE OR DELETE ON tickwheel.heartbeat FOR EACH ROW EXECUTE FUNCTION gate.stop_row('boot_id');
  CREATE TRIGGER stop_row BEFORE UPDATE OR DELETE ON tickwheel.term FOR EACH ROW EXECUTE FUNCTION gate.stop_row('');
  CREATE TRIGGER stop_row BEFORE UPDATE OR DELETE ON tickwheel.view FOR EACH ROW EXECUTE FUNCTION gate.stop_row('');
  CREATE TRIGGER stop_row BEFORE UPDATE OR DELETE ON tickwheel.quarantine FOR EACH ROW EXECUTE FUNCTION gate.stop_row('');
  CREATE TRIGGER stop_row BEFORE UPDATE OR DELETE ON tickwheel.revision FOR EACH ROW EXECUTE FUNCTION gate.stop_row('');
  CREATE TRIGGER stop_row BEFORE UPDATE OR DELETE ON tickwheel.pause FOR EACH ROW EXECUTE FUNCTION gate.stop_row('key');
  CREATE TRIGGER stop_row BEFORE UPDATE OR DELETE ON tickwheel.flow_limit FOR EACH ROW EXECUTE FUNCTION gate.stop_row('id');
  CREATE TRIGGER stop_row BEFORE INSERT OR UPDATE OR DELETE ON tickwheel.lease FOR EACH ROW EXECUTE FUNCTION gate.stop_row('task_id');
  CREATE TRIGGER stop_row BEFORE UPDATE OR DELETE ON tickwheel.bucket FOR EACH ROW EXECUTE FUNCTION gate.stop_row('id');
  CREATE TRIGGER stop_row BEFORE INSERT OR UPDATE OR DELETE ON tickwheel.breaker FOR EACH ROW EXECUTE FUNCTION gate.stop_row('namespace');
  CREATE TRIGGER stop_row BEFORE UPDATE OR DELETE ON tickwheel.schedule FOR EACH ROW EXECUTE FUNCTION gate.stop_row('id');
  CREATE TRIGGER stop_row BEFORE UPDATE OR DELETE ON tickwheel.schedule_announcement FOR EACH ROW EXECUTE FUNCTION gate.stop_row('hash');`;

/** The gates of one database. Only for tests: each write of a row fires a trigger. */
export class PostgresGates {
  #last = Promise.resolve();

  constructor(client) {
    this.client = client;
  }

  /**
   * @param {string} url of a database that has been migrated
   * @returns {Promise<PostgresGates>}
   */
  static async install(url) {
    await makeSchemas(url, "gate");
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query(GATES);
    return new PostgresGates(client);
  }

  /**
   * @param {number} count
   * @param {AbortSignal} [signal]
   */
  async untilBlocked(count, signal) {
    const endMonoMs = performance.now() + BLOCKED_LIMIT_MS;
    for (let waiting = await this.waiting(); waiting < count; waiting = await this.waiting()) {
      signal?.throwIfAborted();
      if (performance.now() > endMonoMs) {
        throw new Error(`after ${BLOCKED_LIMIT_MS / 1_000} s ${waiting} statements wait, not ${count}`);
      }
      await wait(POLL_MS);
    }
  }

  /** @param {string} taskId */
  holdWrites(taskId) {
    return this.close(`task ${taskId}`);
  }

  /** @param {import("@tickwheel/conformance").ClusterRow} row */
  holdClusterWrites(row) {
    if (typeof row !== "string" && "announcement" in row)
      return this.close(`schedule_announcement ${row.announcement.hash}`);
    if (typeof row !== "string" && "pause" in row) return this.close(`pause ${row.pause.key}`);
    if (typeof row !== "string" && "limit" in row) return this.close(`flow_limit ${row.limit}`);
    if (typeof row !== "string" && "breaker" in row) return this.close(`breaker ${row.breaker.namespace}`);
    return this.close(typeof row === "string" ? row : Object.entries(row)[0].join(" "));
  }

  holdNextStatement() {
    return this.close("statement");
  }

  /** The server's clock cannot be moved: it is waited for. */
  async elapse(delayMs) {
    await this.query("SELECT pg_sleep($1::float8 / 1000)", [delayMs]);
  }

  async uninstall() {
    await this.client.end();
  }

  async close(name) {
    await this.query("SELECT pg_advisory_lock(gate.key($1))", [name]);
    let opening;
    const open = () => this.query("SELECT pg_advisory_unlock(gate.key($1))", [name]);
    return async () => {
      await (opening ??= open());
    };
  }

  async waiting() {
    const { rows } = await this.query(
      `SELECT count(*)::int AS count FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock' AND backend_type = 'client backend'`,
    );
    return rows[0].count;
  }

  /** One statement after the other: all gates are held by one session. */
  query(sql, values) {
    const answer = this.#last.then(() => this.client.query(sql, values));
    this.#last = answer.catch(() => {});
    return answer;
  }
}
