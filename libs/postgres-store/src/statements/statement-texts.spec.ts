import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import type { TaskConditions, TaskFilter, TaskTab } from "@tickwheel/core";
import type { QueryRunner } from "typeorm";
import type { Statement } from "../connection/session.js";
import { createFirstSchema } from "../schema/migrations/first-schema.js";
import { lookForTasks } from "./read/look-for-tasks.js";
import { lookInTab } from "./read/look-in-tab.js";

/**
 * The texts as they are meant to be, byte for byte. A change that is meant is written here by
 * `WRITE_TEXTS=1 node test/runner/run-tests.mjs unit -- statement-texts`, so that a review sees what the server gets.
 */
const GOLDEN = join(import.meta.dirname, "statement-texts.golden.txt");
const LAST_ID = "ffffffff-ffff-ffff-ffff-ffffffffffff";
const MEANT = {
  type: ["a", "b.*"],
  tag: ["a", "b"],
  node: "n",
  error: "e",
  reason: ["ATTEMPTS"],
  createdBy: "key:1",
} satisfies TaskConditions;
const EVERY_FIELD: TaskConditions = {
  ...MEANT,
  states: ["dead", "failing"],
  keyPrefix: "k",
  live: true,
  fingerprint: "0123456789ab",
  not: MEANT,
  createdFrom: 1,
  createdTo: 2,
  finishedFrom: 1,
  priorityFrom: 1,
  priorityTo: 2,
};
const SCHEMA = '"tickwheel"';

interface HeldText {
  title: string;
  text: string;
}

async function heldTexts(): Promise<HeldText[]> {
  return [...(await textsOfStatements()), ...textsOfLooks(), ...(await textsOfFirstSchema())];
}

async function textsOfStatements(): Promise<HeldText[]> {
  const files = readdirSync(import.meta.dirname, { encoding: "utf8", recursive: true });
  const texts: HeldText[] = [];
  for (const file of files.filter((name) => /(?<!\.spec)\.ts$/.test(name)).sort()) {
    const module = (await import(`./${file}`)) as Record<string, unknown>;
    for (const value of Object.values(module).filter(isStatement).sort(byName))
      texts.push({ title: `${file}: ${value.name}`, text: value.sql(SCHEMA) });
  }
  return texts;
}

function isStatement(value: unknown): value is Statement<unknown, unknown> {
  const { name, sql } = (value ?? {}) as Record<string, unknown>;
  return typeof name === "string" && typeof sql === "function";
}

function byName(one: { name: string }, other: { name: string }): number {
  return one.name < other.name ? -1 : 1;
}

/** Lists of tasks, whose texts are made for the filter. */
function textsOfLooks(): HeldText[] {
  const filter: TaskFilter = { namespace: "default", limit: 10 };
  const tabs: TaskTab[] = ["overdue", "scheduled", "failing", "running", "dead", "paused", "finished"];
  const look = { below: null, rows: 100, maxBytes: 1000, asOf: null };
  const from = { at: Infinity, id: LAST_ID };
  return [
    ...[
      { ...look, by: "walk" as const, filter },
      { ...look, by: "type" as const, filter: { ...filter, type: "mail" } },
      { ...look, by: "key" as const, filter: { ...filter, type: "mail", key: "k", error: "refused" } },
      { ...look, by: "id" as const, filter: { ...filter, id: [LAST_ID], states: ["overdue" as const] } },
      { ...look, by: "tag" as const, filter: { ...filter, tag: ["a", "b"] } },
      { ...look, by: "batch" as const, filter: { ...filter, batch: LAST_ID, ...EVERY_FIELD } },
      {
        ...look,
        by: "print" as const,
        below: LAST_ID,
        filter: { ...filter, states: ["dead" as const], fingerprint: "0123456789ab" },
      },
    ].map((wanted) => ({ title: `read/look-for-tasks.ts: by ${wanted.by}`, text: lookForTasks(wanted).sql(SCHEMA) })),
    ...tabs.map((tab) => ({
      title: `read/look-in-tab.ts: ${tab}`,
      text: lookInTab({ ...look, from, isByType: true, filter: { ...filter, tab } }).sql(SCHEMA),
    })),
  ];
}

async function textsOfFirstSchema(): Promise<HeldText[]> {
  const texts: HeldText[] = [];
  const runner = {
    query: (text: string) => {
      texts.push({ title: `schema/migrations/first-schema.ts: part ${texts.length + 1}`, text });
      return Promise.resolve();
    },
  };
  await createFirstSchema(runner as unknown as QueryRunner, SCHEMA);
  return texts;
}

test("the SQL texts that the server gets are those that are written down, byte for byte", async () => {
  const texts = (await heldTexts()).map(({ title, text }) => `=== ${title}\n${text}\n`).join("\n");
  if (process.env.WRITE_TEXTS === "1") writeFileSync(GOLDEN, texts);
  expect(texts).toBe(readFileSync(GOLDEN, "utf8"));
});

test("no SQL text of a hot path is missing among those that are written down", async () => {
  const titles = (await heldTexts()).map(({ title }) => title.split(": ")[1]);
  expect(titles).toEqual(
    expect.arrayContaining([
      "claim_tasks",
      "insert_task",
      "insert_tasks",
      "insert_keyed_tasks",
      "insert_keyed_tasks_with_extras",
      "complete_tasks",
      "complete_members",
      "end_attempts",
      "find_due",
      "load_window",
      "find_tasks_by_id",
      "reap_tasks",
      "cancel_task",
      "edit_task",
      "retry_task",
      "refresh_tasks",
      "fold_merges",
      "by walk",
      "archive_tasks",
      "list_members",
      "append_tallies",
      "add_runs",
      "write_schedules",
      "part 1",
    ]),
  );
});
