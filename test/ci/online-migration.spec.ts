import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import {
  type Migration,
  migrate,
  MIGRATIONS,
  type PostgresStores,
  requireCompatibleStore,
} from "@tickwheel/postgres-store";
import type { TelemetryEvent } from "@tickwheel/core";
import { RecordingTelemetry } from "@tickwheel/testing";
import type { Client } from "pg";
import { eventually } from "../support/eventually.js";
import { create, NAMESPACE, newTask, newType, Scene } from "../integration/postgres-store.scene.js";

/** What a next release might do: a column, an index of the live table, one of the partitioned history. */
const NEXT: Migration = {
  name: "Next9900000000000",
  steps: [
    { sql: "ALTER TABLE @task ADD COLUMN IF NOT EXISTS colour text" },
    { index: "task_colour", on: "task", as: "(colour) WHERE colour IS NOT NULL" },
    { index: "history_slot", on: "history", as: "(slot, finished_at)" },
    { sql: "ALTER TABLE # SET (autovacuum_analyze_threshold = 51)", eachPartitionOf: "journal" },
  ],
};
const migrations = [...MIGRATIONS, NEXT];

let scene: Scene;
let stores: PostgresStores;
let observer: Client;

beforeEach(async () => {
  scene = await Scene.start();
  stores = scene.open();
  observer = await scene.client();
});
afterEach(() => scene.stop());

/** Writes tasks, one statement after the other, until it is told to stop. */
class Load {
  written = 0;
  readonly failures: unknown[] = [];
  private isWanted = true;
  private done: Promise<void> = Promise.resolve();

  constructor(private readonly typeId: number) {}

  start(): this {
    this.done = Promise.all(Array.from({ length: 4 }, () => this.loop())).then(() => undefined);
    return this;
  }

  async stop(): Promise<void> {
    this.isWanted = false;
    await this.done;
  }

  private async loop(): Promise<void> {
    while (this.isWanted && this.failures.length === 0) {
      const tasks = Array.from({ length: 10 }, () => newTask({ typeId: this.typeId, due: { delayMs: 3_600_000 } }));
      const reply = await stores.tasks.create({ namespace: NAMESPACE, tasks }).catch((error: unknown) => {
        this.failures.push(error);
      });
      if (reply) this.written += tasks.length;
    }
  }
}

/** Hears what a migration says, and calls back. */
class Ear extends RecordingTelemetry {
  constructor(private readonly hear: (event: TelemetryEvent) => void) {
    super();
  }

  override emit(event: TelemetryEvent): void {
    super.emit(event);
    this.hear(event);
  }
}

async function indexes(): Promise<unknown[]> {
  const { rows } = await observer.query(
    `SELECT c.relname AS name, indisvalid AS valid FROM pg_index JOIN pg_class c ON c.oid = indexrelid
      WHERE c.relname ~ '(task_colour|history_slot)$' AND c.relnamespace = 'tickwheel'::regnamespace ORDER BY 1`,
  );
  return rows;
}

async function partitionCount(): Promise<number> {
  const { rows } = await observer.query("SELECT 1 FROM pg_inherits WHERE inhparent = 'tickwheel.history'::regclass");
  return rows.length;
}

async function expectAllMade(): Promise<void> {
  const made = (await indexes()) as { name: string; valid: boolean }[];
  expect(made.filter(({ valid }) => !valid)).toEqual([]);
  expect(made).toHaveLength(2 + (await partitionCount()));
  const { rows } = await observer.query("SELECT name FROM tickwheel.migration WHERE name = 'Next9900000000000'");
  expect(rows).toHaveLength(1);
}

describe("a migration beside nodes and callers", () => {
  test("a migration stops no write while a caller's transaction holds the table, says who it waits for, and is done after it", async () => {
    const typeId = await newType(stores);
    const caller = await scene.client();
    await caller.query("SET application_name = 'somebody'; BEGIN");
    await stores.tasks.create({ namespace: NAMESPACE, tasks: [newTask({ typeId })] }, caller);
    const load = new Load(typeId).start();
    const telemetry = new RecordingTelemetry();
    let isDone = false;
    const migrated = migrate(scene.server.url, { migrations, telemetry }).finally(() => (isDone = true));
    await eventually(() => expect(telemetry.named("store.migrate.waiting").length).toBeGreaterThan(2));
    const before = load.written;
    await eventually(() => expect(load.written).toBeGreaterThan(before + 500));
    expect(isDone).toBe(false);
    expect(telemetry.named("store.migrate.waiting")[0]!.message).toContain("somebody (pid ");
    await caller.query("COMMIT");
    expect(await migrated).toEqual(["Next9900000000000"]);
    await load.stop();
    expect(load.failures).toEqual([]);
    await expectAllMade();
  });

  test("a migration waits with an index for a caller who came after its table was changed, and nobody waits with it", async () => {
    const typeId = await newType(stores);
    const caller = await scene.client();
    const telemetry: Ear = new Ear(({ name, message }) => {
      if (name === "store.migrate.index" && message.includes("task_colour is made")) begun.push(begin());
    });
    const begun: Promise<unknown>[] = [];
    const begin = async (): Promise<void> => {
      await caller.query("BEGIN");
      await stores.tasks.create({ namespace: NAMESPACE, tasks: [newTask({ typeId })] }, caller);
    };
    await observer.query("ALTER TABLE tickwheel.task ADD COLUMN colour text");
    // Held up until the caller is at it.
    const gate = await scene.client();
    await gate.query("BEGIN; LOCK TABLE tickwheel.task IN SHARE UPDATE EXCLUSIVE MODE");
    const next = { ...NEXT, steps: NEXT.steps.slice(1) };
    const migrated = migrate(scene.server.url, { migrations: [...MIGRATIONS, next], telemetry });
    await eventually(() => expect(begun).toHaveLength(1));
    await begun[0];
    await gate.query("COMMIT");
    const building = "SELECT phase FROM pg_stat_progress_create_index WHERE phase LIKE 'waiting%'";
    await eventually(async () => expect((await observer.query(building)).rows).toHaveLength(1));
    await create(stores, { typeId });
    await caller.query("COMMIT");
    await migrated;
    await expectAllMade();
  });

  test("a migration does not wait for nodes that start meanwhile, and the first of them finds it done", async () => {
    const typeId = await newType(stores);
    await observer.query("ALTER TABLE tickwheel.task ADD COLUMN colour text");
    const caller = await scene.client();
    await caller.query("BEGIN; LOCK TABLE tickwheel.task IN ROW EXCLUSIVE MODE");
    const next = { ...NEXT, steps: NEXT.steps.slice(1) };
    const migrated = migrate(scene.server.url, { migrations: [...MIGRATIONS, next] });
    const building = "SELECT phase FROM pg_stat_progress_create_index WHERE phase LIKE 'waiting%'";
    await eventually(async () => expect((await observer.query(building)).rows).toHaveLength(1));
    // A snapshot of it, kept while it waits for its turn, would hold up the index for ever.
    const other = migrate(`${scene.server.url}?application_name=other`, { migrations: [...MIGRATIONS, next] });
    const others = "SELECT FROM pg_stat_activity WHERE application_name = 'other' AND query LIKE '%try_advisory%'";
    await eventually(async () => expect((await observer.query(others)).rows).not.toEqual([]));
    await requireCompatibleStore(scene.server.url);
    await create(stores, { typeId });
    await caller.query("COMMIT");
    expect(await Promise.all([migrated, other])).toEqual([["Next9900000000000"], []]);
    await expectAllMade();
  });
});

describe("a migration that was killed", () => {
  test("a migration that was killed at any of its steps is finished by the next run", async () => {
    const killed: string[] = [];
    for (let isDone = false, run = 1; !isDone; run++) {
      expect(run).toBeLessThan(100);
      const telemetry = new Ear(({ name, message }) => {
        if (!/^store\.migrate\.(step|index)$/.test(name) || killed.includes(message)) return;
        killed.push(message);
        void observer.query(
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'migrator'",
        );
      });
      const url = `${scene.server.url}?application_name=migrator`;
      isDone = await migrate(url, { migrations, telemetry }).then(
        () => true,
        () => false,
      );
    }
    expect(killed.length).toBeGreaterThan(NEXT.steps.length + 2);
    await expectAllMade();
  });

  test("a migration that was killed leaves an index unfinished, which is dropped and made again, on a partition too", async () => {
    const blocker = await scene.client();
    await blocker.query("BEGIN; LOCK TABLE tickwheel.task, tickwheel.history_default IN ROW EXCLUSIVE MODE");
    for (const [index, table] of [
      ["task_colour", "task"],
      ["history_default_history_slot", "history_default"],
    ] as const) {
      const victim = await scene.client();
      const { rows } = await victim.query("SELECT pg_backend_pid() AS pid");
      const made = victim.query(`CREATE INDEX CONCURRENTLY ${index} ON tickwheel.${table} (slot)`).catch(String);
      await eventually(async () => expect(await indexes()).toContainEqual({ name: index, valid: false }));
      await observer.query("SELECT pg_terminate_backend($1)", [(rows[0] as { pid: number }).pid]);
      await made;
    }
    await blocker.query("COMMIT");
    await migrate(scene.server.url, { migrations });
    await expectAllMade();
  });

  test("a migration that was killed is not disturbed while the server still makes its index", async () => {
    await observer.query("ALTER TABLE tickwheel.task ADD COLUMN colour text");
    const blocker = await scene.client();
    await blocker.query("BEGIN; LOCK TABLE tickwheel.task IN ROW EXCLUSIVE MODE");
    const orphan = await scene.client();
    const made = orphan.query(
      "CREATE INDEX CONCURRENTLY task_colour ON tickwheel.task (colour) WHERE colour IS NOT NULL",
    );
    await eventually(async () => expect(await indexes()).toEqual([{ name: "task_colour", valid: false }]));
    const { rows: before } = await observer.query("SELECT 'tickwheel.task_colour'::regclass::oid AS oid");
    const telemetry = new RecordingTelemetry();
    const next = { ...NEXT, steps: NEXT.steps.slice(1) };
    const migrated = migrate(scene.server.url, { migrations: [...MIGRATIONS, next], telemetry });
    await eventually(() => expect(telemetry.named("store.migrate.waiting").length).toBeGreaterThan(0));
    await blocker.query("COMMIT");
    await Promise.all([made, migrated]);
    expect((await observer.query("SELECT 'tickwheel.task_colour'::regclass::oid AS oid")).rows).toEqual(before);
    await expectAllMade();
  });
});

describe("a schema that newer nodes have changed", () => {
  const contraction: Migration = { name: "Gone9900000000000", oldestCompatible: "Next9900000000000", steps: [] };

  test("a schema changed by newer nodes is refused by older ones, at a start without migrations too, and by nobody else", async () => {
    await migrate(scene.server.url, { migrations: [...migrations, contraction] });
    const refused = { code: "STORE_INCOMPATIBLE", message: expect.stringContaining("Upgrade this node") as unknown };
    await expect(migrate(scene.server.url)).rejects.toMatchObject(refused);
    await expect(requireCompatibleStore(scene.server.url)).rejects.toMatchObject(refused);
    await requireCompatibleStore(scene.server.url, { migrations });
  });

  test("a schema changed by newer nodes is used by older ones as long as it has only grown", async () => {
    await migrate(scene.server.url, { migrations });
    await requireCompatibleStore(scene.server.url);
    expect(await migrate(scene.server.url)).toEqual([]);
  });
});
