import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { Injectable } from "@nestjs/common";
import { DelayTaskApiModule } from "@tickwheel/api";
import { fingerprintOf, printOf } from "@tickwheel/core";
import { type DelayTask, DelayTaskHandler, DelayTaskModule, defineTask } from "@tickwheel/nestjs";
import { Client } from "pg";
import { type HostedApi, hostApi } from "../support/app/hosted-api.js";
import { newTestKey } from "../support/cluster.js";
import { eventually } from "../support/eventually.js";
import { printFigures } from "../support/figures.js";
import { startTestPostgres, type TestPostgres } from "../support/servers/test-postgres.js";

const KEY = newTestKey();
const Deliver = defineTask<{ place: number; isWell?: boolean }>("deliver", { maxAttempts: 1 });
const MANY = 1_000_000;
const FEW = 302;
const RATE = 50;
const CAUSE = "Error: the provider is down";
const OTHER_CAUSE = "TypeError: half of them fail again";

interface OperationBody {
  id: string;
  state: string;
  stopReason: string | null;
  changed: number;
  estimate: number | null;
  createdAt: string;
  finishedAt: string | null;
}

let postgres: TestPostgres;
let served: HostedApi;
let database: Client;

@Injectable()
class Handlers {
  @DelayTaskHandler(Deliver, { concurrency: 20 })
  deliver({ payload }: DelayTask<{ place: number; isWell?: boolean }>): void {
    if (payload.isWell !== true && payload.place % 2 === 0) throw new TypeError("half of them fail again");
  }
}

beforeAll(async () => {
  postgres = await startTestPostgres();
  const url = await postgres.createDatabase("dead");
  const imports = [DelayTaskApiModule.forRoot({ notice: false }), DelayTaskModule.forRoot({ url, heartbeat: "loop" })];
  served = await hostApi({ providers: [Handlers], imports }, KEY);
  database = new Client({ connectionString: url });
  await database.connect();
});
afterAll(async () => {
  await database?.end();
  await served?.app.close();
  await postgres?.stop();
});

/** Dead tasks of the type whose error is this; the ids are made by the time, as a node makes them. */
async function die(count: number, { error, isWell }: { error: string; isWell: boolean }): Promise<void> {
  const { print } = printOf(error);
  await database.query(
    `INSERT INTO tickwheel.task (id, slot, type_id, state, key_live, created_at, scheduled_at, due_at, claimed_at, started_at,
       finished_at, owner, payload, priority, max_attempts, timeout_ms, created_by, attempt, fence, reason, last_error, error_print)
     SELECT (lpad(to_hex((extract(epoch FROM now()) * 1000)::bigint - $1::int + i), 12, '0') || '7000' || '8000' || lpad(to_hex($5::int), 4, '0') || lpad(to_hex(i), 8, '0'))::uuid,
            i % 4096, y.id, 3, false, now() - interval '1 hour', now() - interval '1 hour', now() - interval '1 hour', now(), now(),
            now(), 1, json_build_object('place', i, 'isWell', $4::boolean), 5, 1, 60000, 'application', 1, 1, 'ATTEMPTS', $2,
            CASE WHEN $3::bigint IS NULL THEN i ELSE $3::bigint END
       FROM generate_series(1, $1::int) i, tickwheel.type y WHERE y.type = 'deliver'`,
    [count, error, error === "Error: other" ? null : print, isWell, print % 65_536],
  );
}

async function ended(body: object): Promise<OperationBody> {
  const { body: started } = await served.api.post<OperationBody>("/v1/operations", body);
  return eventually(async () => {
    const { body: operation } = await served.api.get<OperationBody>(`/v1/operations/${started.id}`);
    expect(operation.finishedAt).not.toBeNull();
    return operation;
  });
}

test(`${FEW} dead tasks of one cause among ${MANY} are retried at ${RATE} a second; tasks that fail again stop the retry`, async () => {
  await die(MANY, { error: "Error: other", isWell: true });
  await die(FEW, { error: CAUSE, isWell: true });
  await die(FEW, { error: OTHER_CAUSE, isWell: false });
  await database.query("VACUUM (ANALYZE) tickwheel.task");
  const filter = { state: "dead", type: "deliver", fingerprint: fingerprintOf(printOf(CAUSE).print) };
  const askedMs = Date.now();
  const dry = await served.api.post<{ count: number; incomplete: boolean }>("/v1/operations/dry-run", {
    action: "retry",
    filter,
  });
  printFigures("dry run", { ms: Date.now() - askedMs });
  expect(dry.body).toMatchObject({ count: FEW, incomplete: false });

  const done = await ended({ action: "retry", filter, rate: RATE, expect: FEW });
  expect(done).toMatchObject({ state: "done", changed: FEW, estimate: FEW });
  const tookMs = Date.parse(done.finishedAt!) - Date.parse(done.createdAt);
  printFigures("retry", { perSecond: Math.round((FEW * 1_000) / tookMs) });
  // Never faster than was asked for.
  expect(tookMs).toBeGreaterThanOrEqual(((FEW - RATE) / RATE) * 1_000);
  await eventually(async () => {
    const { rows } = await database.query<{ count: string }>("SELECT count(*) FROM tickwheel.history WHERE state = 2");
    expect(Number(rows[0]!.count)).toBe(FEW);
  });

  const failing = { ...filter, fingerprint: fingerprintOf(printOf(OTHER_CAUSE).print) };
  const stopped = await ended({ action: "retry", filter: failing, rate: RATE, stopWhenFailing: 0.4 });
  expect(stopped).toMatchObject({ state: "stopped", stopReason: "FAILING", estimate: FEW });
  expect(stopped.changed).toBeLessThan(FEW);
}, 600_000);
