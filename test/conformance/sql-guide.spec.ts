import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { Client } from "pg";
import { guideFences } from "../support/app/pasted-guide.js";
import { Scene } from "../integration/postgres-store.scene.js";

const MAIN = join(import.meta.dirname, "../../apps/scheduler/dist/main.js");
const blocks = guideFences("docs/guides/sql.md");

let scene: Scene;
let shop: Client;

beforeAll(async () => {
  scene = await Scene.start();
  await scene.open({ size: 1 }).tasks.ensureType({ namespace: "default", type: "order.cancel", delivery: "handler" });
  const superuser = await scene.superuser();
  await superuser.query("CREATE ROLE shop LOGIN PASSWORD 'shop'; GRANT CREATE ON SCHEMA public TO shop");
  shop = await scene.login("shop", "shop");
  await shop.query("CREATE TABLE orders (id bigint PRIMARY KEY, status text NOT NULL)");
});
afterAll(() => scene?.stop());

/** Runs a command of the guide, `npx tickwheel …`, as a shell does. */
async function run(line: string): Promise<string> {
  const command = line.replace(/^npx tickwheel/, `"${process.execPath}" "${MAIN}"`);
  const env = { ...process.env, DATABASE_URL: scene.server.url };
  return (await promisify(execFile)("sh", ["-c", command], { env })).stdout;
}

/** Runs a command; the migration that one writes is run, too. @returns what the others print */
async function afterCommand(line: string): Promise<string[]> {
  const printed = await run(line);
  if (!line.includes(" trigger ")) return [printed];
  await shop.query(printed);
  return [];
}

test("the commands and statements of the SQL guide do what it says, in its order", async () => {
  const answers: unknown[] = [];
  for (const { language, text } of blocks) {
    if (language === "sh") {
      for (const line of text.trim().split("\n")) answers.push(...(await afterCommand(line)));
    } else if (language === "sql") {
      const results = [await shop.query(text)].flat() as { command: string; rows: Record<string, unknown>[] }[];
      answers.push(...results.filter(({ command }) => command === "SELECT").map(({ rows }) => rows));
    }
  }
  expect(answers).toEqual([
    "The schema is up to date.\n",
    "shop may create and cancel tasks of the namespace default in SQL.\n",
    expect.stringMatching(/^shop\tdefault\t-\tby \w+\t\d{4}-.*Z\n$/),
    [{ outcome: "created", id: expect.any(String) }],
    [{ outcome: "cancelled" }],
    [{ state: "cancelled", cancelled_by: "sql:shop" }],
    [{ type: "order.cancel", state: "cancelled", count: "2" }],
    [],
  ]);
});

test("a command of tickwheel tells every fault, and what it does not know", async () => {
  const failing = async (line: string): Promise<string> => {
    try {
      return await run(`npx tickwheel ${line}`);
    } catch (error) {
      return (error as { stderr: string }).stderr;
    }
  };
  expect(await failing("trigger --table 'a b' --when ' ' --type 'x y' --key 'c;' --delay soon")).toBe(
    [
      'table must be the name of a table, such as orders or shop."Orders"',
      "when must be a condition such as status <> 'unpaid', without a semicolon",
      "type must be 1 to 128 characters of A-Z a-z 0-9 . _ : -",
      "key must be the name of a column",
      'delay must be a duration such as "15m"\n',
    ].join("; "),
  );
  expect(await failing("sql allow nobody")).toBe('role "nobody" does not exist\n');
  expect(await failing("sql forbid stranger")).toBe('the role "stranger" was not allowed\n');
  expect(await failing("sql --help")).toMatch(/allow .*<role>[\s\S]*forbid[\s\S]*list[\s\S]*DATABASE_URL/);
  expect(await failing("trigger --help")).toMatch(/--table <name>[\s\S]*--when[\s\S]*--delay[\s\S]*--out/);
});
