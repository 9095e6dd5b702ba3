import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { Client } from "pg";
import type { TaskBody } from "../support/api-client.js";
import { type TestNode, type TestServices, TestStage } from "../support/cluster.js";
import { expectOneView, quiet } from "../support/cluster-view.js";
import { depth } from "../support/depth.js";
import { eventually } from "../support/eventually.js";
import { printFigures } from "../support/figures.js";
import { Ledger } from "../support/ledger.js";
import { type StepEvidence, stepFaultsOf } from "./step-accounts.js";
import { type Note, StepRecords } from "./step-records.js";

/** `node test/runner/run-tests.mjs --whole faults -- once` cuts 200 executions and more in 20 kills. */
const WAVES = depth({ sample: 1, whole: 10 });
/** All that there are when the tasks start; the one that joins before they die takes their tasks. */
const KILLS_OF_A_WAVE = 2;
const ROWS = 6;
/** So many that a kill finds them at work. */
const MANY_ROWS = 80;
const AT_ROW = 4;
/**
 * The tasks of a node that is killed, by the place where it stops them. Two kinds of commits wait in the database: one
 * goes through when the node is dead, the other until somebody ends its session.
 */
const PLACES = [
  ...["effect", "effect", "effect", "effect", "effect"],
  ...["released commit", "kept commit"],
  ...["answer", "checkpoint", "end"],
];
/** What nothing stops; such tasks begin right before their node is killed. */
const ANYWHERE = ["anywhere", "anywhere"];

const stage = new TestStage();
let services: TestServices;
let nodes: TestNode[];
let ledger: Ledger;
let records: StepRecords;
let gatekeeper: Client;

beforeAll(async () => {
  services = await stage.services({ redis: true });
  ledger = await stage.add(new Ledger(services.databaseUrl));
  records = new StepRecords(ledger);
  await records.create();
  gatekeeper = new Client({ connectionString: services.databaseUrl });
  await gatekeeper.connect();
  await stage.add({ stop: () => gatekeeper.end() });
  nodes = await stage.many(KILLS_OF_A_WAVE, startNode);
  await eventually(() => expectOneView(nodes));
});
afterAll(() => stage.stop());

function startNode(): Promise<TestNode> {
  const { databaseUrl, redisUrl } = services;
  return stage.app({ databaseUrl, redisUrl, types: ["stepping"] });
}

interface SteppingTask {
  id: string;
  place: string;
  rows: number;
}

/** They are due soon, so they run on this node, or on another one that is to die. */
async function scheduleOn(
  { client }: TestNode,
  places: readonly string[],
  gates: readonly [number, number],
): Promise<SteppingTask[]> {
  const payloads = places.map((place) => {
    const rows = place === "anywhere" ? MANY_ROWS : ROWS;
    const gate = place === "released commit" ? gates[0] : gates[1];
    return { place: place.split(" ").at(-1), rows, at: AT_ROW, gate };
  });
  const tasks = await client.scheduleMany(payloads.map((payload) => ({ type: "stepping", payload, delay: 200 })));
  return tasks.map(({ id }, index) => ({ id, place: places[index]!, rows: payloads[index]!.rows }));
}

/** Waits until every execution is where it stands still, and those that do not have begun. */
async function expectInPlace(tasks: readonly SteppingTask[], gates: readonly number[]): Promise<void> {
  await eventually(async () => {
    const [standing, begun] = [await records.tasksThat("stands"), await records.tasksThat("began")];
    const isAway = ({ id, place }: SteppingTask): boolean =>
      place === "anywhere" || place.endsWith("commit") ? !begun.has(id) : !standing.has(id);
    expect(tasks.filter(isAway)).toEqual([]);
    const commits = tasks.filter(({ place }) => place.endsWith("commit"));
    expect(await records.atGates(gates)).toBe(commits.length);
  });
}

/** Kills all nodes in the middle of their tasks; one that has just joined runs them again, and is the next to die. */
async function wave(place: number): Promise<SteppingTask[]> {
  const gates = [2 * place + 1, 2 * place + 2] as const;
  const victims = nodes;
  for (const gate of gates) await gatekeeper.query("SELECT pg_advisory_lock($1)", [gate]);
  const scheduleAll = async (places: readonly string[]): Promise<SteppingTask[]> =>
    (await Promise.all(victims.map((victim) => scheduleOn(victim, places, gates)))).flat();
  const standing = await scheduleAll(PLACES);
  await expectInPlace(standing, gates);
  const heir = await startNode();
  await eventually(() => expectOneView([...victims, heir]));
  const tasks = [...standing, ...(await scheduleAll(ANYWHERE))];
  await expectInPlace(tasks, gates);
  await Promise.all(victims.map((victim) => victim.kill()));
  await gatekeeper.query("SELECT pg_advisory_unlock($1)", [gates[0]]);
  const isLast = place === WAVES - 1;
  nodes = [heir, ...(isLast ? [] : await stage.many(KILLS_OF_A_WAVE - 1, startNode))];
  await quiet(heir);
  await gatekeeper.query("SELECT pg_advisory_unlock($1)", [gates[1]]);
  await eventually(() => expectOneView(nodes));
  return tasks;
}

async function evidenceOf(tasks: readonly SteppingTask[]): Promise<StepEvidence[]> {
  const [notes, effects] = [await records.notes(), await records.effects()];
  const evidence: StepEvidence[] = [];
  // One by one: a node refuses more calls at once than it answers in a second.
  for (const { id, rows } of tasks) {
    const { state } = (await nodes[0]!.client.get<TaskBody>(`/v1/tasks/${id}`)).body;
    const isIts = ({ taskId }: { taskId: string }): boolean => taskId === id;
    evidence.push({ id, rows, state, notes: notes.filter(isIts), effects: effects.filter(isIts) });
  }
  return evidence;
}

/** Whether its first execution has come to no end. */
function isCut({ notes }: StepEvidence): boolean {
  return notes.some(({ fence }) => fence > 1) && !notes.some(({ fence, what }) => fence === 1 && what === "ended");
}

function countBy(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}

function tell(tasks: readonly SteppingTask[], evidence: readonly StepEvidence[]): void {
  const notes = evidence.flatMap((one) => one.notes);
  const count = (is: (note: Note) => boolean): number => notes.filter(is).length;
  const written = (place: string): number =>
    tasks.filter(({ id, place: its }) => {
      const effects = evidence.find((one) => one.id === id)!.effects;
      return its === place && effects.some(({ step, fence }) => step === `row ${AT_ROW}` && fence === 1);
    }).length;
  printFigures("steps under kill -9", {
    kills: WAVES * KILLS_OF_A_WAVE,
    executions: tasks.length,
    cut: countBy(tasks.filter((_, index) => isCut(evidence[index]!)).map(({ place }) => place)),
    workedAgain: count(({ what }) => what === "works") - evidence.flatMap((one) => one.effects).length,
    storedResults: count(({ what, fence, value }) => what === "answered" && value! < fence),
    begunAtCheckpoint: count(({ what, value }) => what === "began" && value! > 0),
    commitsAfterDeath: { released: written("released commit"), kept: written("kept commit") },
  });
}

test("each step counts once, its result is kept and checkpoints last, wherever kill -9 meets the handler", async () => {
  const tasks: SteppingTask[] = [];
  for (let place = 0; place < WAVES; place += 1) tasks.push(...(await wave(place)));
  const evidence = await evidenceOf(tasks);
  tell(tasks, evidence);
  expect(evidence.flatMap(stepFaultsOf)).toEqual([]);
  const cut = new Set(evidence.filter(isCut).map(({ id }) => id));
  expect(tasks.filter(({ id, place }) => place !== "anywhere" && !cut.has(id))).toEqual([]);
  expect(cut.size).toBeGreaterThanOrEqual(WAVES * KILLS_OF_A_WAVE * 10);
});
