import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import {
  type Backoff,
  type ConflictPolicy,
  isOwnTaskId,
  newTaskId,
  slotOfId,
  slotOfKey,
  SystemRandom,
  type TickwheelError,
  type TypePolicy,
} from "@tickwheel/core";
import { type INestApplicationContext, Module } from "@nestjs/common";
import { NestFactory } from "@nestjs/core";
import { DelayTaskModule, DelayTaskService } from "@tickwheel/nestjs";
import type { PostgresStores } from "@tickwheel/postgres-store";
import * as fc from "fast-check";
import type { Client } from "pg";
import { NAMESPACE, Scene } from "../integration/postgres-store.scene.js";

const random = new SystemRandom();
const AT = new Date("2031-05-06T07:08:09.123Z");
const ANY_TEXT = fc.string({ unit: "grapheme", minLength: 1, maxLength: 20 }).filter((text) => !text.includes("\0"));

/** Quicker than an arbitrary of fast-check: characters of one to four bytes. */
function anyText(): string {
  const lengths = [0x7f, 0x7ff, 0xd7ff, 0xf_ffff];
  const points = [...random.bytes(8)].map((byte) => 1 + Math.floor(random.next() * lengths[byte & 3]!));
  return String.fromCodePoint(...points.map((point) => (point >= 0xd800 && point <= 0xdfff ? 0x2603 : point)));
}

let scene: Scene;
let stores: PostgresStores;
let sql: Client;
let app: INestApplicationContext;
let node: DelayTaskService;
let types = 0;

beforeAll(async () => {
  scene = await Scene.start();
  stores = scene.open({ size: 2 });
  sql = await scene.client();
  @Module({ imports: [DelayTaskModule.forRoot({ url: scene.server.url, redis: null, engine: false })] })
  class RootModule {}
  app = await NestFactory.createApplicationContext(RootModule, { logger: false, abortOnError: false });
  node = app.get(DelayTaskService);
});
afterAll(async () => {
  await app?.close();
  await scene?.stop();
});

interface Type {
  readonly id: number;
  readonly type: string;
}

async function newType(policy: TypePolicy = {}): Promise<Type> {
  const type = `sql.${++types}`;
  const { id } = await stores.tasks.ensureType({ namespace: NAMESPACE, type, delivery: "handler" });
  await sql.query("UPDATE tickwheel.type SET policy = $1 WHERE id = $2", [JSON.stringify(policy), id]);
  return { id, type };
}

/** What both ways in are asked for. Durations in milliseconds. */
interface Wish {
  readonly payload?: unknown;
  readonly delayMs?: number;
  readonly at?: Date;
  readonly key?: string;
  readonly onConflict?: ConflictPolicy;
  readonly maxWaitMs?: number;
  readonly priority?: number;
  readonly maxAttempts?: number;
  readonly timeoutMs?: number;
  readonly startDeadlineMs?: number;
  readonly tags?: string[];
}

/** @returns what was done; a code in place of an outcome: it was refused */
async function createInSql({ type }: Type, wish: Wish): Promise<string> {
  const interval = (ms: number | undefined): string | null => (ms === undefined ? null : `${ms} milliseconds`);
  const values = {
    type,
    payload: wish.payload === undefined ? null : JSON.stringify(wish.payload),
    delay: interval(wish.delayMs),
    scheduled_at: wish.at ?? null,
    key: wish.key ?? null,
    on_conflict: wish.onConflict ?? "reject",
    max_wait: interval(wish.maxWaitMs),
    priority: wish.priority ?? null,
    max_attempts: wish.maxAttempts ?? null,
    timeout: interval(wish.timeoutMs),
    tags: wish.tags ?? null,
    start_deadline: interval(wish.startDeadlineMs),
  };
  const given = Object.keys(values).map((name, index) => `${name} => $${index + 1}`);
  try {
    const text = `SELECT outcome FROM tickwheel.schedule(${given.join(", ")})`;
    return (await sql.query<{ outcome: string }>(text, Object.values(values))).rows[0]!.outcome;
  } catch (error) {
    return codeOf(error);
  }
}

/** The same of a node. */
async function createByNode(
  { type }: Type,
  { at, delayMs, maxWaitMs, payload = null, ...wish }: Wish,
): Promise<string> {
  const { timeoutMs: timeout, startDeadlineMs: startDeadline, ...rest } = wish;
  const due = at ? { scheduledAt: at } : { delay: delayMs };
  try {
    const options = { ...rest, ...due, maxWait: maxWaitMs, timeout, startDeadline };
    return (await node.schedule(type, payload, options)).outcome;
  } catch (error) {
    return (error as TickwheelError).code;
  }
}

function codeOf(error: unknown): string {
  return /^[A-Z_]+/.exec((error as Error).message)?.[0] ?? String(error);
}

/** The columns of which two ways in may differ: what stands for itself, and who asked. */
const OWN = ["id", "key", "slot", "type_id", "created_by", "cancelled_by", "continues", "continued_by"];
const INSTANTS = [
  "created_at",
  "finished_at",
  "cancel_requested_at",
  "paused_at",
  "paused_ms",
  "claimed_at",
  "started_at",
];

/** All rows of a type in the order in which they came, without what differs from one create to the next. */
async function rowsOf({ id }: Type): Promise<object[]> {
  const { rows } = await sql.query<{ row: Record<string, unknown> }>(
    `SELECT (to_jsonb(t) || jsonb_build_object('notes', jsonb_path_query_array(notes, '$[*].reason'), 'payload', payload::text,
              'due_in', round(extract(epoch FROM due_at - created_at) / 60), 'deadline_in', extract(epoch FROM start_deadline_at - scheduled_at),
              'wait_in', round(extract(epoch FROM wait_until - created_at) / 60), 'is_named', ARRAY[continues IS NULL, continued_by IS NULL])) AS row
       FROM tickwheel.task t WHERE type_id = $1 ORDER BY id`,
    [id],
  );
  const moving = ["due_at", "scheduled_at", "start_deadline_at", "wait_until"];
  return rows.map(({ row }) => {
    const isFixed = row["due_at"] === AT.toISOString().replace("Z", "+00:00");
    const same = Object.entries(row).filter(([name]) => !OWN.includes(name) && (isFixed || !moving.includes(name)));
    return Object.fromEntries(
      same
        .filter(([name]) => !(isFixed && name.endsWith("_in") && name !== "deadline_in"))
        .map(([name, value]) => [name, INSTANTS.includes(name) ? value !== null : value]),
    );
  });
}

const backoffs: fc.Arbitrary<Backoff> = fc.oneof(
  fc.record({ kind: fc.constant("fixed" as const), delayMs: fc.nat(9_999) }),
  fc.record({ kind: fc.constant("ladder" as const), delaysMs: fc.array(fc.nat(999), { minLength: 1, maxLength: 4 }) }),
);
const policies: fc.Arbitrary<TypePolicy> = fc.record(
  {
    maxAttempts: fc.integer({ min: 1, max: 9 }),
    backoff: backoffs,
    timeoutMs: fc.integer({ min: 1, max: 99_999 }),
    startDeadlineMs: fc.integer({ min: 1, max: 99_999 }),
    priority: fc.nat(9),
  },
  { requiredKeys: [] },
);
const wishes: fc.Arbitrary<Wish> = fc.record(
  {
    payload: fc.jsonValue({ maxDepth: 3 }),
    delayMs: fc.nat(9_999_999),
    key: ANY_TEXT,
    priority: fc.nat(9),
    maxAttempts: fc.integer({ min: 1, max: 1_000 }),
    timeoutMs: fc.integer({ min: 1, max: 86_400_000 }),
    startDeadlineMs: fc.integer({ min: 1, max: 9_999_999 }),
    tags: fc.uniqueArray(ANY_TEXT, { maxLength: 4 }),
  },
  { requiredKeys: [] },
);

describe("a task that is created in SQL", () => {
  test("100,000 tasks that are created in SQL have the slots of their keys, whatever is in the keys", async () => {
    const keys = Array.from({ length: 100_000 }, () => [anyText(), anyText(), anyText()] as const);
    for (let from = 0; from < keys.length; from += 10_000) {
      const part = keys.slice(from, from + 10_000);
      const columns = [0, 1, 2].map((place) => part.map((texts) => texts[place]));
      const { rows } = await sql.query<{ slots: number[] }>(
        `SELECT array_agg(tickwheel.slot_of_key(n, t, k) ORDER BY place) AS slots
           FROM unnest($1::text[], $2::text[], $3::text[]) WITH ORDINALITY AS u (n, t, k, place)`,
        columns,
      );
      expect(rows[0]!.slots).toEqual(part.map(([namespace, type, key]) => slotOfKey(namespace, type, key)));
    }
  });

  test("100,000 tasks that are created in SQL have ids of their time and slot, each another one", async () => {
    const { rows } = await sql.query<{ ids: string[]; from_ms: number; to_ms: number }>(
      `SELECT array_agg(tickwheel.new_task_id((n % 4096)::smallint)::text ORDER BY n) AS ids,
              extract(epoch FROM now())::float8 * 1000 AS from_ms, extract(epoch FROM clock_timestamp())::float8 * 1000 + 5000 AS to_ms
         FROM generate_series(0, 99999) n`,
    );
    const { ids, from_ms, to_ms } = rows[0]!;
    expect(new Set(ids).size).toBe(100_000);
    for (const [n, id] of ids.entries()) {
      const at = Number.parseInt(id.replace("-", "").slice(0, 12), 16);
      if (!isOwnTaskId(id) || slotOfId(id) !== n % 4_096 || at < Math.floor(from_ms) || at > to_ms)
        throw new Error(`${id} is no id of slot ${n % 4_096}`);
    }
  });

  test("a task that is created in SQL has the row that a node would write, for any options and any policy of its type", async () => {
    const asked = fc.record({ policy: policies, wish: wishes, isAt: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(asked, async ({ policy, wish, isAt }) => {
        const both = { ...wish, ...(isAt && { at: AT }) };
        if (isAt) delete (both as { delayMs?: number }).delayMs;
        const own = await newType(policy);
        const nodes = await newType(policy);
        expect(await createInSql(own, both)).toBe(await createByNode(nodes, both));
        expect(await rowsOf(own)).toEqual(await rowsOf(nodes));
      }),
      { numRuns: 60 },
    );
  });
});

/** How a key's holder is when it is met. */
const HOLDERS = {
  "nobody has it": null,
  "its holder waits": "version = 1",
  "its holder is due": "due_at = clock_timestamp() - interval '1 minute'",
  "its holder is paused": "state = -1, paused_at = clock_timestamp()",
  "its holder awaits a retry": "started_at = clock_timestamp(), attempt = 1, journal_count = 2",
  "its holder runs":
    "state = 1, owner = 5, fence = 1, attempt = 1, claimed_at = clock_timestamp(), started_at = clock_timestamp()",
  "its holder runs and is asked to stop":
    "state = 1, owner = 5, fence = 1, attempt = 1, claimed_at = clock_timestamp(), started_at = clock_timestamp(), cancel_requested_at = clock_timestamp(), cancelled_by = 'x'",
} as const;

/** A task in SQL and one by a node that hold the key `k`, in the same state. */
async function twinHolders(change: string | null, wish: Wish = {}): Promise<[own: Type, nodes: Type]> {
  const twins = [await newType(), await newType()] as [Type, Type];
  for (const type of change === null ? [] : twins) {
    expect(await createByNode(type, { key: "k", delayMs: 600_000, ...wish })).toBe("created");
    await sql.query(`UPDATE tickwheel.task SET ${change} WHERE type_id = $1`, [type.id]);
  }
  return twins;
}

describe.each(["reject", "return", "replace", "refresh"] as const)(
  "with onConflict %s, a create in SQL",
  (onConflict) => {
    test.each(Object.entries(HOLDERS))("a create in SQL does what a node does where %s", async (_, change) => {
      const own = await newType();
      const nodes = await newType();
      for (const type of [own, nodes]) {
        if (change === null) continue;
        await createByNode(type, { key: "k", delayMs: 600_000, startDeadlineMs: 5_000, tags: ["old"] });
        await sql.query(`UPDATE tickwheel.task SET ${change} WHERE type_id = $1`, [type.id]);
      }
      const wish = { key: "k", delayMs: 900_000, payload: { second: true }, tags: ["new"], onConflict };
      const more = onConflict === "refresh" ? { ...wish, maxWaitMs: 700_000 } : wish;
      expect(await createInSql(own, more)).toBe(await createByNode(nodes, more));
      expect(await rowsOf(own)).toEqual(await rowsOf(nodes));
    });
  },
);

describe("a cancel in SQL", () => {
  test.each(Object.entries(HOLDERS))("a cancel in SQL does what a node does where %s", async (_, change) => {
    const [own, nodes] = await twinHolders(change);
    const target = { namespace: NAMESPACE, type: nodes.type, key: "k" };
    const { outcome } = await stores.tasks.cancel({ target, actor: "a node" });
    const { rows } = await sql.query<{ outcome: string }>("SELECT outcome FROM tickwheel.cancel($1, $2)", [
      own.type,
      "k",
    ]);
    expect(rows).toEqual([{ outcome }]);
    expect(await rowsOf(own)).toEqual(await rowsOf(nodes));
  });

  test.each([2, 3, 4, 5])(
    "a cancel in SQL by id tells how a task in state %i has ended, and leaves it",
    async (state) => {
      const type = await newType();
      await createByNode(type, { key: "k" });
      const changed =
        "UPDATE tickwheel.task SET state = $1, finished_at = now(), key_live = false WHERE type_id = $2 RETURNING id";
      const id = (await sql.query<{ id: string }>(changed, [state, type.id])).rows[0]!.id;
      const before = await rowsOf(type);
      const { rows } = await sql.query("SELECT outcome FROM tickwheel.cancel($1::uuid)", [id]);
      expect(rows).toEqual([{ outcome: state === 4 ? "cancelled" : "too_late" }]);
      expect(await rowsOf(type)).toEqual(before);
    },
  );

  test("a cancel in SQL by an id that nobody has, or of another namespace, finds nothing", async () => {
    await stores.tasks.ensureType({ namespace: "other", type: "t", delivery: "handler" });
    const { rows: made } = await sql.query<{ id: string }>(
      "SELECT id FROM tickwheel.schedule('t', namespace => 'other')",
    );
    for (const id of [made[0]!.id, newTaskId(1, 1, random)])
      expect((await sql.query("SELECT outcome FROM tickwheel.cancel($1::uuid)", [id])).rows).toEqual([
        { outcome: "not_found" },
      ]);
  });
});
