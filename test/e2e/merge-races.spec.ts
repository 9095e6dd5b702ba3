import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { promised, requirePromises } from "../support/broken-promise.js";
import { someAtOnce, type TaskBody } from "../support/api-client.js";
import { type TestNode, TestStage } from "../support/cluster.js";
import { expectOneView, quiet } from "../support/cluster-view.js";
import { depth } from "../support/depth.js";
import { eventually, lasting } from "../support/eventually.js";
import { printFigures } from "../support/figures.js";
import { latenessOf, Ledger } from "../support/ledger.js";

/** `node test/runner/run-tests.mjs --whole e2e -- merge-races` runs all rounds. */
const ROUNDS = depth({ sample: 200, whole: 10_000 });
const CROWDS = depth({ sample: 30, whole: 10_000 });
/** Rounds under way at once, of few callers and of many: a node refuses more than it answers in a second. */
const AT_ONCE = 40;
const CROWDS_AT_ONCE = 4;
const CALLERS = 50;
const TYPE = "collect";
const NODES = 2;
/** This many callers merge again and again, for this long. */
const STREAMS = 16;
const STREAM_MS = depth({ sample: 2_000, whole: 20_000 });
/**
 * The calls that race are sent this long before the task is due. It is claimed 20 ms ahead, and a call takes a while.
 */
const BEFORE_DUE_MS = { most: 90, least: 10 };
const DELAY_MS = 130;

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

interface Told {
  outcome: string;
  /** Null: the outcome is unknown. */
  task: TaskBody | null;
}

/** A starved machine has answered 503: the merge is in, or it is not. */
const UNKNOWN = "unknown";

/** Merges one into a key, at one node or the other. */
async function merge(key: string, { at, ...when }: { at: number; delay: number; maxWait?: number }): Promise<Told> {
  const { client } = nodes[at % NODES]!;
  const body = { type: TYPE, key, ...when, onConflict: "merge", merge: { n: "add" }, payload: { collect: key, n: 1 } };
  const { status, headers, body: task } = await client.patientPost<TaskBody>("/v1/tasks", body);
  if (status === 503) return { outcome: UNKNOWN, task: null };
  expect([200, 201]).toContain(status);
  return { outcome: headers.get("tickwheel-outcome") ?? "", task };
}

function beforeDueMs(): number {
  const { most, least } = BEFORE_DUE_MS;
  return least + Math.random() * (most - least);
}

/** Does all rounds, some at once. */
function inRounds<T>(
  name: string,
  round: (key: string, place: number) => Promise<T>,
  { rounds, atOnce } = { rounds: ROUNDS, atOnce: AT_ONCE },
): Promise<T[]> {
  return someAtOnce(Array.from({ length: rounds }), atOnce, (_, place) => round(`${name} ${place}`, place));
}

/** What executions have collected, by key. An execution without an effect has collected nothing. */
async function collected(prefix: string): Promise<Map<string, number>> {
  await quiet(nodes[0]!);
  const rows = await ledger.query<{ key: string; sum: number }>(
    `SELECT key, sum(n)::int AS sum FROM collected WHERE key LIKE '${prefix} %' GROUP BY key`,
  );
  return new Map(rows.map(({ key, sum }) => [key, sum]));
}

function tallyOf(outcomes: readonly string[]): Record<string, number> {
  const tally: Record<string, number> = {};
  for (const outcome of outcomes) tally[outcome] = (tally[outcome] ?? 0) + 1;
  return tally;
}

/** The merges of a key, and how they were told. */
interface Merges {
  key: string;
  outcomes: readonly string[];
}

/** The keys whose sum lacks a merge that was told, or has more than were sent. */
function wrongSums(merges: readonly Merges[], sums: ReadonlyMap<string, number>): string[] {
  return merges.flatMap(({ key, outcomes }) => {
    const sum = sums.get(key) ?? 0;
    const told = outcomes.filter((outcome) => outcome !== UNKNOWN).length;
    return sum >= told && sum <= outcomes.length ? [] : [`${key}: ${sum} of ${outcomes.join(", ")}`];
  });
}

test("a merge that comes when its task fires is in that execution or in the next one, never in both or neither", async () => {
  const merges = await inRounds("fire", async (key, place): Promise<Merges> => {
    const delay = DELAY_MS + (place % 10);
    const first = await merge(key, { at: place, delay });
    if (first.task) await lasting(Date.parse(first.task.dueAt) - Date.now() - beforeDueMs());
    const others = await Promise.all([0, 1].map((at) => merge(key, { at, delay })));
    return { key, outcomes: [first, ...others].map(({ outcome }) => outcome) };
  });
  const sums = await collected("fire");
  printFigures("merges against fire", tallyOf(merges.flatMap(({ outcomes }) => outcomes)));
  expect(merges).toHaveLength(ROUNDS);
  promised(() => expect(wrongSums(merges, sums)).toEqual([]));
});

test("a task that is taken out when it fires was executed or taken out, with all that it had, never both or neither", async () => {
  const taken = await inRounds("take", async (key, place) => {
    const first = await merge(key, { at: place, delay: DELAY_MS });
    const { task } = await merge(key, { at: place + 1, delay: DELAY_MS + (place % 10) });
    if (!first.task || !task) return { key, outcome: UNKNOWN, task: null };
    await lasting(Date.parse(task.dueAt) - Date.now() - beforeDueMs());
    const { client } = nodes[(place + 1) % NODES]!;
    const { status, body } = await client.patientPost<Told>("/v1/tasks/cancel", { type: TYPE, key });
    if (status === 503) return { key, outcome: UNKNOWN, task: null };
    return { key, outcome: status === 200 ? body.outcome : String(status), task: status === 200 ? body.task : null };
  });
  const sums = await collected("take");
  printFigures("take-outs against fire", tallyOf(taken.map(({ outcome }) => outcome)));
  const sumOf = async ({ key, outcome, task }: (typeof taken)[number]): Promise<number> => {
    // A task that was only asked to stop may have ended either way.
    const ended =
      outcome === "cancel_requested" ? (await nodes[0]!.client.get<TaskBody>(`/v1/tasks/${task!.id}`)).body : task;
    const isTaken = ended?.state === "cancelled";
    return (sums.get(key) ?? 0) + (isTaken ? (ended!.payload as { n: number }).n : 0);
  };
  const wrong: string[] = [];
  for (const round of taken) {
    const sum = await sumOf(round);
    if (round.outcome === UNKNOWN ? sum > 2 : sum !== 2) wrong.push(`${round.key}: ${round.outcome}`);
  }
  requirePromises(wrong);
});

test("fifty callers at once that create or merge one key are all in its sum", async () => {
  const round = async (key: string): Promise<Merges> => {
    const told = await Promise.all(Array.from({ length: CALLERS }, (_, at) => merge(key, { at, delay: 100 })));
    return { key, outcomes: told.map(({ outcome }) => outcome) };
  };
  const merges = await inRounds("crowd", round, { rounds: CROWDS, atOnce: CROWDS_AT_ONCE });
  const sums = await collected("crowd");
  printFigures("fifty callers of one key", tallyOf(merges.flatMap(({ outcomes }) => outcomes)));
  expect(merges).toHaveLength(CROWDS);
  promised(() => expect(wrongSums(merges, sums)).toEqual([]));
});

test("a stream of merges that put a task off neither keeps it from running nor loses one of them", async () => {
  const key = "stream 0";
  const outcomes: string[] = [];
  const begunAtMs = await ledger.now();
  const endMonoMs = performance.now() + STREAM_MS;
  const stream = async (at: number): Promise<void> => {
    while (performance.now() < endMonoMs)
      outcomes.push((await merge(key, { at, delay: 60_000, maxWait: 200 })).outcome);
  };
  await Promise.all(Array.from({ length: STREAMS }, (_, at) => stream(at)));
  const sums = await collected("stream");
  const lateness = latenessOf((await ledger.starts()).filter(({ dueAtMs }) => dueAtMs >= begunAtMs));
  printFigures("a stream of merges", { ...tallyOf(outcomes), executions: lateness.count, latenessMs: lateness });
  expect(lateness.count).toBeGreaterThan(1);
  promised(() => expect(wrongSums([{ key, outcomes }], sums)).toEqual([]));
});
