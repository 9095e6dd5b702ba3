import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { promised, requirePromises } from "../support/broken-promise.js";
import { type HeldBody, someAtOnce, type TaskBody } from "../support/api-client.js";
import { type TestNode, TestStage } from "../support/cluster.js";
import { expectOneView, quiet } from "../support/cluster-view.js";
import { depth } from "../support/depth.js";
import { eventually, lasting } from "../support/eventually.js";
import { printFigures } from "../support/figures.js";
import { Ledger, type Start } from "../support/ledger.js";

/** `node test/runner/run-tests.mjs --whole e2e -- hold-races` runs all rounds. */
const ROUNDS = depth({ sample: 200, whole: 10_000 });
/** Rounds under way at once: a node refuses more than it answers in a second. */
const AT_ONCE = 40;
const TYPE = "deadline";
const NODES = 2;
/** In the column `state`. */
const SUCCEEDED = 2;
const DELAY_MS = 150;
/** A pause is sent this long before its task is due, which is claimed 20 ms ahead, or this long after. */
const BEFORE_DUE_MS = { most: 120, least: -30 };

const stage = new TestStage();
let nodes: TestNode[];
let ledger: Ledger;

beforeAll(async () => {
  const { databaseUrl, redisUrl } = await stage.services({ redis: true });
  ledger = await stage.add(new Ledger(databaseUrl));
  await ledger.create();
  nodes = await stage.many(NODES, () => stage.app({ databaseUrl, redisUrl, types: [TYPE] }));
  await eventually(() => expectOneView(nodes));
});
afterAll(() => stage.stop());

/** A task, and what became of the pause that raced with its start. */
interface Round {
  id: string;
  key: string;
  /** How the pause was answered: the task as it is held, or null with the status of the refusal. */
  held: HeldBody | null;
  status: number;
  /** As the resume answered, if there was one yet. */
  resumed: HeldBody | null;
}

function beforeDueMs(): number {
  const { most, least } = BEFORE_DUE_MS;
  return least + Math.random() * (most - least);
}

/** By the id or by the key. A key of a task that has ended is nobody's: 404. */
async function pause({ id, key }: { id: string; key: string }, place: number): Promise<Pick<Round, "held" | "status">> {
  const { client } = nodes[(place + 1) % NODES]!;
  const isByKey = place % 4 < 2;
  const [path, body] = isByKey ? ["/v1/tasks/pause", { type: TYPE, key }] : [`/v1/tasks/${id}/pause`, undefined];
  const answer = await client.patientPost<HeldBody>(path!, body, { isRepeatable: true });
  expect(isByKey ? [200, 404, 409] : [200, 409]).toContain(answer.status);
  const { status } = answer;
  if (status !== 200) return { held: null, status };
  expect(answer.body.state).toBe("held");
  return { held: answer.body, status };
}

async function resume({ id }: { id: string }, place: number): Promise<HeldBody> {
  const { client } = nodes[place % NODES]!;
  const path = `/v1/tasks/${id}/resume`;
  const { status, body } = await client.patientPost<HeldBody>(path, undefined, { isRepeatable: true });
  expect([status, body.state]).toEqual([200, "scheduled"]);
  return body;
}

/** Every other task that is held is resumed at once; the rest stay held. */
async function race(place: number): Promise<Round> {
  const key = `race ${place}`;
  const { client } = nodes[place % NODES]!;
  const input = { type: TYPE, key, idempotencyKey: key, delay: DELAY_MS + (place % 10) };
  const { status, body } = await client.patientPost<TaskBody>("/v1/tasks", input, { isRepeatable: true });
  expect(status).toBe(201);
  const { id, dueAt } = body;
  await lasting(Date.parse(dueAt) - Date.now() - beforeDueMs());
  const paused = await pause({ id, key }, place);
  const isResumed = paused.held !== null && place % 2 === 0;
  return { id, key, ...paused, resumed: isResumed ? await resume({ id }, place) : null };
}

async function startsById(): Promise<Map<string, Start[]>> {
  const starts = new Map<string, Start[]>();
  for (const start of await ledger.starts()) starts.set(start.taskId, [...(starts.get(start.taskId) ?? []), start]);
  return starts;
}

interface Row {
  id: string;
  state: number;
  heldMs: number;
  /** Whether it started when it was due or later. */
  isDue: boolean;
}

/** The rows of tasks that have ended. */
async function rowsById(): Promise<Map<string, Row>> {
  const rows = await ledger.query<Row>(
    `SELECT id::text, state::int, coalesce(held_ms, 0)::int AS "heldMs", started_at >= due_at AS "isDue"
       FROM tickwheel.history`,
  );
  return new Map(rows.map((row) => [row.id, row]));
}

/** What is wrong with a round, by its task's starts and its row in history; empty: nothing. */
function faultsOf({ id, held, resumed }: Round, starts: readonly Start[], row: Row | undefined): string[] {
  const resumedAtMs = held ? Date.parse(held.heldAt!) + resumed!.heldMs : 0;
  const rules: [string, boolean][] = [
    [`started ${starts.length} times`, starts.length === 1],
    ["has not succeeded", row?.state === SUCCEEDED],
    ["started early", row?.isDue === true],
    ["was held for another time than its resume told", row?.heldMs === (resumed?.heldMs ?? 0)],
    ["started while it was held", starts.every(({ atMs }) => atMs >= resumedAtMs)],
  ];
  return rules.filter(([, holds]) => !holds).map(([fault]) => `task ${id} ${fault}`);
}

/** Before those that stay held are resumed. */
function tell(rounds: readonly Round[]): void {
  const count = (is: (round: Round) => boolean): number => rounds.filter(is).length;
  printFigures("pauses against fire", {
    rounds: rounds.length,
    heldAndResumed: count(({ resumed }) => resumed !== null),
    held: count(({ held, resumed }) => held !== null && resumed === null),
    refused: { 404: count(({ status }) => status === 404), 409: count(({ status }) => status === 409) },
  });
}

test("a pause that comes when its task fires has held it or was refused, and the task runs once: never both or neither", async () => {
  const rounds = await someAtOnce(Array.from({ length: ROUNDS }), AT_ONCE, (_, place) => race(place));
  await quiet(nodes[0]!);
  const waiting = rounds.filter(({ held, resumed }) => held && !resumed);
  const started = await startsById();
  tell(rounds);
  promised(() => expect(waiting.filter(({ id }) => started.has(id))).toEqual([]));
  await someAtOnce(waiting, AT_ONCE, async (round, place) => (round.resumed = await resume(round, place)));
  await quiet(nodes[0]!);
  const [starts, rows] = [await startsById(), await rowsById()];
  requirePromises(rounds.flatMap((round) => faultsOf(round, starts.get(round.id) ?? [], rows.get(round.id))));
  // Otherwise the two have not met.
  expect(new Set(rounds.map(({ held }) => held !== null)).size).toBe(2);
});
