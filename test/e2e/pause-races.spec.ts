import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { promised, requirePromises } from "../support/broken-promise.js";
import { type PausedBody, someAtOnce, type TaskBody } from "../support/api-client.js";
import { type TestNode, TestStage } from "../support/cluster.js";
import { expectOneView, quiet } from "../support/cluster-view.js";
import { depth } from "../support/depth.js";
import { eventually, lasting } from "../support/eventually.js";
import { printFigures } from "../support/figures.js";
import { Ledger, type Start } from "../support/ledger.js";

/** `node test/runner/run-tests.mjs --whole e2e -- pause-races` runs all rounds. */
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
  /** How the pause was answered: the task as it is paused, or null with the status of the refusal. */
  paused: PausedBody | null;
  status: number;
  /** As the resume answered, if there was one yet. */
  resumed: PausedBody | null;
}

function beforeDueMs(): number {
  const { most, least } = BEFORE_DUE_MS;
  return least + Math.random() * (most - least);
}

/** By the id or by the key. A key of a task that has ended is nobody's: 404. */
async function pause(
  { id, key }: { id: string; key: string },
  place: number,
): Promise<Pick<Round, "paused" | "status">> {
  const { client } = nodes[(place + 1) % NODES]!;
  const isByKey = place % 4 < 2;
  const [path, body] = isByKey ? ["/v1/tasks/pause", { type: TYPE, key }] : [`/v1/tasks/${id}/pause`, undefined];
  const answer = await client.patientPost<PausedBody>(path!, body, { isRepeatable: true });
  expect(isByKey ? [200, 404, 409] : [200, 409]).toContain(answer.status);
  const { status } = answer;
  if (status !== 200) return { paused: null, status };
  expect(answer.body.state).toBe("paused");
  return { paused: answer.body, status };
}

async function resume({ id }: { id: string }, place: number): Promise<PausedBody> {
  const { client } = nodes[place % NODES]!;
  const path = `/v1/tasks/${id}/resume`;
  const { status, body } = await client.patientPost<PausedBody>(path, undefined, { isRepeatable: true });
  expect([status, body.state]).toEqual([200, "scheduled"]);
  return body;
}

/** Every other task that is paused is resumed at once; the rest stay paused. */
async function race(place: number): Promise<Round> {
  const key = `race ${place}`;
  const { client } = nodes[place % NODES]!;
  const input = { type: TYPE, key, idempotencyKey: key, delay: DELAY_MS + (place % 10) };
  const { status, body } = await client.patientPost<TaskBody>("/v1/tasks", input, { isRepeatable: true });
  expect(status).toBe(201);
  const { id, dueAt } = body;
  await lasting(Date.parse(dueAt) - Date.now() - beforeDueMs());
  const answer = await pause({ id, key }, place);
  const isResumed = answer.paused !== null && place % 2 === 0;
  return { id, key, ...answer, resumed: isResumed ? await resume({ id }, place) : null };
}

async function startsById(): Promise<Map<string, Start[]>> {
  const starts = new Map<string, Start[]>();
  for (const start of await ledger.starts()) starts.set(start.taskId, [...(starts.get(start.taskId) ?? []), start]);
  return starts;
}

interface Row {
  id: string;
  state: number;
  pausedMs: number;
  /** Whether it started when it was due or later. */
  isDue: boolean;
}

/** The rows of tasks that have ended. */
async function rowsById(): Promise<Map<string, Row>> {
  const rows = await ledger.query<Row>(
    `SELECT id::text, state::int, coalesce(paused_ms, 0)::int AS "pausedMs", started_at >= due_at AS "isDue"
       FROM tickwheel.history`,
  );
  return new Map(rows.map((row) => [row.id, row]));
}

/** What is wrong with a round, by its task's starts and its row in history; empty: nothing. */
function faultsOf({ id, paused, resumed }: Round, starts: readonly Start[], row: Row | undefined): string[] {
  const resumedAtMs = paused ? Date.parse(paused.pausedAt!) + resumed!.pausedMs : 0;
  const rules: [string, boolean][] = [
    [`started ${starts.length} times`, starts.length === 1],
    ["has not succeeded", row?.state === SUCCEEDED],
    ["started early", row?.isDue === true],
    ["was paused for another time than its resume told", row?.pausedMs === (resumed?.pausedMs ?? 0)],
    ["started while it was paused", starts.every(({ atMs }) => atMs >= resumedAtMs)],
  ];
  return rules.filter(([, holds]) => !holds).map(([fault]) => `task ${id} ${fault}`);
}

/** Before those that stay paused are resumed. */
function tell(rounds: readonly Round[]): void {
  const count = (is: (round: Round) => boolean): number => rounds.filter(is).length;
  printFigures("pauses against fire", {
    rounds: rounds.length,
    pausedAndResumed: count(({ resumed }) => resumed !== null),
    paused: count(({ paused, resumed }) => paused !== null && resumed === null),
    refused: { 404: count(({ status }) => status === 404), 409: count(({ status }) => status === 409) },
  });
}

test("a pause that comes when its task fires has paused it or was refused, and the task runs once: never both or neither", async () => {
  const rounds = await someAtOnce(Array.from({ length: ROUNDS }), AT_ONCE, (_, place) => race(place));
  await quiet(nodes[0]!);
  const waiting = rounds.filter(({ paused, resumed }) => paused && !resumed);
  const started = await startsById();
  tell(rounds);
  promised(() => expect(waiting.filter(({ id }) => started.has(id))).toEqual([]));
  await someAtOnce(waiting, AT_ONCE, async (round, place) => (round.resumed = await resume(round, place)));
  await quiet(nodes[0]!);
  const starts = await startsById();
  const rows = await rowsById();
  requirePromises(rounds.flatMap((round) => faultsOf(round, starts.get(round.id) ?? [], rows.get(round.id))));
  // Otherwise the two have not met.
  expect(new Set(rounds.map(({ paused }) => paused !== null)).size).toBe(2);
});
