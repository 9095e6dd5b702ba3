import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { slotOfKey } from "@tickwheel/core";
import type { PostgresStores } from "@tickwheel/postgres-store";
import type { Client } from "pg";
import { create, NAMESPACE, newType, Scene } from "../integration/postgres-store.scene.js";

const TYPE = "order.cancel";

let scene: Scene;
let stores: PostgresStores;
let owner: Client;
let superuser: Client;

beforeAll(async () => {
  scene = await Scene.start();
  stores = scene.open({ size: 1 });
  superuser = await scene.superuser();
  owner = await scene.client();
  await newType(stores, TYPE);
  await stores.tasks.ensureType({ namespace: "other", type: TYPE, delivery: "handler" });
  await stores.tasks.ensureType({ namespace: NAMESPACE, type: "hook", delivery: "webhook" });
  await superuser.query(`CREATE ROLE shop LOGIN PASSWORD 'shop'; CREATE ROLE stranger LOGIN PASSWORD 'stranger';
    CREATE ROLE staff; CREATE ROLE clerk LOGIN PASSWORD 'clerk' IN ROLE staff; CREATE ROLE double LOGIN PASSWORD 'double' IN ROLE staff;
    CREATE SCHEMA evil AUTHORIZATION shop; GRANT TEMPORARY ON DATABASE ${await nameOfDatabase()} TO shop`);
  await owner.query("SELECT tickwheel.allow_sql('shop'), tickwheel.allow_sql('staff', 'other', payloads => true)");
  await owner.query("SELECT tickwheel.allow_sql('double')");
});
afterAll(() => scene?.stop());

async function nameOfDatabase(): Promise<string> {
  const { rows } = await superuser.query<{ name: string }>("SELECT quote_ident(current_database()) AS name");
  return rows[0]!.name;
}

/** A session of a role, whose password is its name. */
async function as(role: string): Promise<Client> {
  return scene.login(role, role);
}

/** @returns the rows as one list of values each, or the code of the refusal */
async function told(session: Client, text: string, values: unknown[] = []): Promise<unknown> {
  try {
    const { rows } = await session.query<Record<string, unknown>>({ text, values });
    return rows.map((row) => Object.values(row));
  } catch (error) {
    const { code, message } = error as { code: string; message: string };
    return `${code} ${message}`;
  }
}

const DENIED = /^42501 /;

describe("a role that is allowed", () => {
  test("a role that may use SQL creates and cancels tasks in its namespace, and is the actor", async () => {
    const shop = await as("shop");
    expect(
      await told(shop, `SELECT outcome FROM tickwheel.schedule('${TYPE}', '{"id":1}', '1 hour', key => 'a')`),
    ).toEqual([["created"]]);
    const seen =
      "SELECT namespace, type, key, state, payload, created_by, cancelled_by FROM tickwheel.tasks_v1 WHERE key = 'a'";
    const task = [NAMESPACE, TYPE, "a", "scheduled", null, "sql:shop"];
    expect(await told(shop, seen)).toEqual([[...task, null]]);
    expect(await told(shop, `SELECT outcome FROM tickwheel.cancel('${TYPE}', 'a')`)).toEqual([["cancelled"]]);
    expect(await told(shop, seen)).toEqual([[...task.with(3, "cancelled"), "sql:shop"]]);
  });

  test("a role that may use SQL can do nothing else with our schema", async () => {
    const shop = await as("shop");
    const { rows: tables } = await superuser.query<{ name: string }>(
      "SELECT oid::regclass::text AS name FROM pg_class WHERE relnamespace = 'tickwheel'::regnamespace AND relkind IN ('r', 'p', 'v', 'S')",
    );
    expect(tables.length).toBeGreaterThan(50);
    const open = tables.filter(({ name }) => name.endsWith("_v1")).map(({ name }) => name);
    expect(open.sort()).toEqual(["tickwheel.attempts_v1", "tickwheel.tasks_v1"]);
    for (const { name } of tables) {
      if (!open.includes(name))
        expect([name, await told(shop, `SELECT * FROM ${name} LIMIT 1`)]).toEqual([name, denied()]);
      expect([name, await told(shop, `DELETE FROM ${name}`)]).toEqual([
        name,
        expect.stringMatching(/^(42501|42809|55000) /),
      ]);
      expect([name, await told(shop, `TRUNCATE ${name}`)]).toEqual([name, expect.stringMatching(/^(42501|42809) /)]);
    }
    expect(await told(shop, "CREATE TABLE tickwheel.mine (n int)")).toEqual(denied());
    expect(await told(shop, "CREATE FUNCTION tickwheel.mine() RETURNS int LANGUAGE sql RETURN 1")).toEqual(denied());
  });

  test("a role that may use SQL can execute what it is meant to, and no other function of our schema", async () => {
    const { rows } = await superuser.query<{ name: string; may: boolean }>(
      `SELECT proname AS name, has_function_privilege('shop', oid, 'EXECUTE') AS may FROM pg_proc
        WHERE pronamespace = 'tickwheel'::regnamespace ORDER BY 1`,
    );
    const allowed = rows.filter(({ may }) => may).map(({ name }) => name);
    expect(allowed).toEqual([
      "cancel",
      "cancel",
      "cancel_with_row",
      "report_namespaces",
      "schedule",
      "schedule_with_row",
    ]);
    expect(rows.length).toBeGreaterThan(allowed.length + 8);
    const { rows: strangers } = await superuser.query(
      "SELECT FROM pg_proc WHERE pronamespace = 'tickwheel'::regnamespace AND has_function_privilege('stranger', oid, 'EXECUTE')",
    );
    expect(strangers).toEqual([]);
  });

  test("a role that may use SQL has no other namespace, by whatever way it asks", async () => {
    const id = await told(
      owner,
      `SELECT id FROM tickwheel.schedule('${TYPE}', '{"secret":1}', '1 hour', key => 'theirs', namespace => 'other')`,
    );
    const [[theirs]] = id as [[string]];
    const shop = await as("shop");
    expect(await told(shop, `SELECT * FROM tickwheel.schedule('${TYPE}', namespace => 'other')`)).toEqual(denied());
    expect(await told(shop, `SELECT * FROM tickwheel.cancel('${TYPE}', 'theirs', 'other')`)).toEqual(denied());
    expect(await told(shop, "SELECT * FROM tickwheel.cancel($1::uuid, 'other')", [theirs])).toEqual(denied());
    expect(await told(shop, "SELECT * FROM tickwheel.cancel($1::uuid)", [theirs])).toEqual([["not_found"]]);
    expect(await told(shop, `SELECT outcome FROM tickwheel.cancel('${TYPE}', 'theirs')`)).toEqual([["not_found"]]);
    expect(await told(shop, "SELECT * FROM tickwheel.tasks_v1 WHERE namespace = 'other'")).toEqual([]);
    expect(await told(owner, "SELECT state FROM tickwheel.tasks_v1 WHERE id = $1", [theirs])).toEqual([["scheduled"]]);
  });

  test("a role that may use SQL sees no row of others by a function in its own condition", async () => {
    const shop = await as("shop");
    await shop.query(`CREATE TABLE evil.seen (line text);
      CREATE FUNCTION evil.leak(text) RETURNS boolean LANGUAGE plpgsql COST 0.0000001 AS $$ BEGIN INSERT INTO evil.seen VALUES ($1); RETURN true; END $$`);
    await told(
      owner,
      `SELECT id FROM tickwheel.schedule('${TYPE}', '1', '1 hour', key => 'hidden', namespace => 'other')`,
    );
    await shop.query("SELECT count(*) FROM tickwheel.tasks_v1 WHERE evil.leak(key) AND evil.leak(namespace)");
    const seen = (await shop.query<{ line: string }>("SELECT DISTINCT line FROM evil.seen")).rows.map(
      ({ line }) => line,
    );
    expect(seen).toContain(NAMESPACE);
    expect(seen).not.toContain("hidden");
    expect(seen).not.toContain("other");
  });

  test("a role that may use SQL meets our tables and functions, whatever it has put before them", async () => {
    const shop = await as("shop");
    await shop.query(`CREATE TEMPORARY TABLE task (LIKE evil.seen); CREATE TEMPORARY TABLE type (id int, namespace text, type text);
      CREATE FUNCTION evil.sha256(bytea) RETURNS bytea LANGUAGE sql RETURN '\\x00'::bytea;
      CREATE FUNCTION evil.clock_timestamp() RETURNS timestamptz LANGUAGE sql RETURN 'epoch'::timestamptz;
      CREATE FUNCTION evil.same(text, text) RETURNS boolean LANGUAGE sql RETURN true;
      CREATE OPERATOR evil.= (LEFTARG = text, RIGHTARG = text, FUNCTION = evil.same);
      SET search_path = pg_temp, evil, tickwheel, pg_catalog`);
    expect(await told(shop, `SELECT outcome FROM schedule('${TYPE}', 'null', '1 hour', key => 'shadowed')`)).toEqual([
      ["created"],
    ]);
    const row = "SELECT slot, created_at > now() - interval '1 day' FROM tickwheel.task WHERE key = 'shadowed'";
    expect(await told(owner, row)).toEqual([[slotOfKey(NAMESPACE, TYPE, "shadowed"), true]]);
    expect(await told(shop, `SELECT outcome FROM cancel('${TYPE}', 'shadow')`)).toEqual([["not_found"]]);
    expect(await told(shop, `SELECT outcome FROM cancel('${TYPE}', 'shadowed')`)).toEqual([["cancelled"]]);
  });
});

function denied(): unknown {
  return expect.stringMatching(DENIED);
}

describe("roles", () => {
  test("a role that may not use SQL is refused in words, also with a right to execute", async () => {
    const stranger = await as("stranger");
    expect(await told(stranger, `SELECT tickwheel.schedule('${TYPE}')`)).toEqual(denied());
    await superuser.query(
      "GRANT USAGE ON SCHEMA tickwheel TO stranger; GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA tickwheel TO stranger",
    );
    expect(await told(stranger, `SELECT tickwheel.schedule('${TYPE}')`)).toBe(
      '42501 FORBIDDEN: the role "stranger" has no namespace',
    );
    expect(await told(stranger, "SELECT tickwheel.allow_sql('stranger')")).toEqual(denied());
    await superuser.query(
      "REVOKE ALL ON ALL FUNCTIONS IN SCHEMA tickwheel FROM stranger; REVOKE USAGE ON SCHEMA tickwheel FROM stranger",
    );
  });

  test("a member of roles has their namespaces and rights; of several roles it names one", async () => {
    const clerk = await as("clerk");
    const double = await as("double");
    expect(await told(clerk, `SELECT outcome FROM tickwheel.schedule('${TYPE}', '{"n":1}', key => 'clerks')`)).toEqual([
      ["created"],
    ]);
    const seen = "SELECT namespace, payload FROM tickwheel.tasks_v1 WHERE key = 'clerks'";
    expect(await told(clerk, seen)).toEqual([["other", { n: 1 }]]);
    expect(await told(double, `SELECT tickwheel.schedule('${TYPE}')`)).toBe(
      '22023 VALIDATION_FAILED: namespace must be given, since the role "double" has several: default, other',
    );
    expect(await told(double, `SELECT outcome FROM tickwheel.schedule('${TYPE}', namespace => 'other')`)).toEqual([
      ["created"],
    ]);
    await clerk.query("SET ROLE staff");
    expect(await told(clerk, "SELECT outcome FROM tickwheel.cancel($1, $2)", [TYPE, "clerks"])).toEqual([
      ["cancelled"],
    ]);
  });

  test("a role that is forbidden again can do nothing any more", async () => {
    await superuser.query("CREATE ROLE guest LOGIN PASSWORD 'guest'");
    await owner.query("SELECT tickwheel.allow_sql('guest'), tickwheel.allow_sql('guest', 'other')");
    const guest = await as("guest");
    await owner.query("SELECT tickwheel.forbid_sql('guest', 'other')");
    expect(await told(guest, `SELECT outcome FROM tickwheel.schedule('${TYPE}')`)).toEqual([["created"]]);
    await owner.query("SELECT tickwheel.forbid_sql('guest')");
    expect(await told(guest, `SELECT outcome FROM tickwheel.schedule('${TYPE}')`)).toEqual(denied());
    expect(await told(guest, "SELECT FROM tickwheel.tasks_v1")).toEqual(denied());
    expect(await told(owner, "SELECT tickwheel.forbid_sql('guest')")).toMatch(
      /^42704 the role "guest" was not allowed/,
    );
    expect(await told(owner, "SELECT tickwheel.allow_sql('nobody at all')")).toMatch(
      /^42704 role "nobody at all" does not exist/,
    );
  });
});

describe("a refusal", () => {
  test("a refusal in SQL names every fault", async () => {
    const shop = await as("shop");
    const bad = `SELECT tickwheel.schedule('${TYPE}', $1, '-1 second', 'infinity', $2, 'merge', '1 hour', 10, 0, '2 days', '0', $3, 0)`;
    const deep = "[".repeat(33) + "]".repeat(33);
    expect(await told(shop, bad, [deep, "schedule:1", ["a", "a"]])).toBe(
      [
        "22023 VALIDATION_FAILED: key must not begin with schedule:, which is for the keys of schedules",
        "payload must not be nested deeper than 32 levels",
        "delay must not be negative",
        "scheduled_at must not be given together with delay",
        "max_wait must be given only together with a key and on_conflict refresh",
        "timeout must be at most 86400000 ms",
        "start_deadline must be at least 1 ms",
        "priority must be at most 9",
        "max_attempts must be at least 1",
        "payload_version must be at least 1",
        "on_conflict must not be merge, which REST, GraphQL and code have",
        "tags must not hold the same tag twice",
      ].join("; "),
    );
    expect(await told(shop, "SELECT tickwheel.schedule(NULL, on_conflict => NULL)")).toBe(
      "22023 VALIDATION_FAILED: type must be given; on_conflict must be one of reject, return, replace, refresh",
    );
  });

  test.each([
    ["payload => $1", JSON.stringify("x".repeat(10_000_000)), "payload must be at most 65536 bytes of JSON"],
    ["payload => $1", `"${"[".repeat(40)}"`, null],
    ["payload => $1", `{"a\\"[[[": "\\\\", "b": [${"[],".repeat(99)}[]]}`, null],
    ["scheduled_at => $1", "infinity", "scheduled_at must be an instant"],
    ["scheduled_at => $1", "1969-12-31T23:59:59Z", "scheduled_at must not be before 1970"],
    ["scheduled_at => $1", "2200-01-01T00:00:00Z", "scheduled_at must be at most 100 years from now"],
    ["delay => $1", "101 years", "delay must be at most 3155760000000 ms"],
    ["key => $1", "", "key must be a string of 1 to 256 characters"],
    ["key => $1", "x".repeat(257), "key must be a string of 1 to 256 characters"],
    ["key => $1", "😀".repeat(128), null],
    ["key => $1", "😀".repeat(129), "key must be a string of 1 to 256 characters"],
    ["key => $1", "batch:1", "key must not begin with batch:, which is for the keys of batches"],
    ["tags => $1", Array.from({ length: 17 }, (_, n) => `${n}`), "tags must hold at most 16 tags"],
    ["tags => $1", ["x".repeat(65)], "tags must be strings of 1 to 64 characters"],
    ["tags => $1", [null], "tags must be a list of strings"],
    [
      "tags => $1",
      Array.from({ length: 16 }, (_, n) => "é".repeat(33) + n),
      "tags must be at most 1024 bytes of UTF-8, all tags together",
    ],
  ])("a refusal in SQL of %s is as everywhere", async (parameter, value, fault) => {
    const shop = await as("shop");
    const answer = await told(shop, `SELECT outcome FROM tickwheel.schedule('${TYPE}', ${parameter})`, [value]);
    expect(answer).toEqual(fault === null ? [["created"]] : `22023 VALIDATION_FAILED: ${fault}`);
  });

  test("a refusal in SQL tells of types that are not known or are webhooks, and of a key that is taken", async () => {
    const shop = await as("shop");
    expect(await told(shop, "SELECT tickwheel.schedule('order.cancle')")).toBe(
      '42704 TYPE_NOT_FOUND: there is no type "order.cancle" in the namespace "default"',
    );
    expect(await told(shop, "SELECT tickwheel.schedule('hook')")).toMatch(/^22023 TYPE_DELIVERY_CONFLICT: /);
    const { id } = await create(stores, { typeId: await newType(stores, TYPE), type: TYPE, key: "taken" });
    expect(await told(shop, `SELECT tickwheel.schedule('${TYPE}', key => 'taken')`)).toBe(
      `23505 TASK_KEY_CONFLICT: the task ${id} of the type "${TYPE}" has the key`,
    );
  });
});
