import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { requirePromises } from "../support/broken-promise.js";
import { type CodeSchedule, type TestNode, type TestServices, TestStage } from "../support/cluster.js";
import { expectOneView } from "../support/cluster-view.js";
import { depth, IS_WHOLE } from "../support/depth.js";
import { eventually, lasting } from "../support/eventually.js";
import { printFigures, summaryOf } from "../support/figures.js";
import { Ledger } from "../support/ledger.js";
import { CrashingPod } from "./crashing-pod.js";
import { faultsOf, outcomesOf, type ScheduleEvidence } from "./schedule-accounts.js";
import { type Definition, minuteOf, rulesOf, secondsOf } from "./schedule-definitions.js";
import { type Said, ScheduleRecords } from "./schedule-records.js";

/** In `test:release` more schedules run for longer, a node dies each 30 s, and a deploy changes those in the code. */
const CALLED = depth({ sample: 30, whole: 200 });
const IN_CODE = depth({ sample: 0, whole: 100 });
const KILLS = depth({ sample: 1, whole: 8 });
const BETWEEN_KILLS_MS = depth({ sample: 6_000, whole: 30_000 });
const DEPLOY_AFTER_KILLS = 3;
const RESTART_AFTER_KILLS = Math.floor(KILLS / 2) + 1;
const ZONES = ["UTC", "Europe/Berlin", "Australia/Lord_Howe"];
const STARTED_AT = Date.now();

const stage = new TestStage();
let services: TestServices;
let nodes: TestNode[] = [];
let ledger: Ledger;
let records: ScheduleRecords;
/** What the code of a node says that starts now. */
let deployed = "1";

beforeAll(async () => {
  services = await stage.services({ redis: true });
  ledger = await stage.add(new Ledger(services.databaseUrl));
  await ledger.create();
  nodes = await stage.many(3, () => startNode());
  await eventually(() => expectOneView(nodes));
  records = new ScheduleRecords(ledger);
  await records.keepAll();
});
afterAll(() => stage.stop());

function startNode(version = deployed): Promise<TestNode> {
  const { databaseUrl, redisUrl } = services;
  return stage.app({ databaseUrl, redisUrl, types: ["order"], schedules: codeOf(version) });
}

const named = (prefix: string, count: number): string[] => Array.from({ length: count }, (_, index) => prefix + index);

/** Each second to each hour, in three zones. An hour's minute is one of the next few. */
function definitionOf(index: number): Definition {
  const timeZone = ZONES[Math.floor(index / 3) % ZONES.length]!;
  const minute = (minuteOf(STARTED_AT, timeZone) + 2 + (index % 4)) % 60;
  const each: Definition[] = [
    { timeZone, seconds: secondsOf(1), minute: null },
    index % 5 === 0
      ? { everySeconds: 2 + (index % 7) }
      : { timeZone, seconds: secondsOf(2 + (index % 9)), minute: null },
    { timeZone, seconds: [index % 60], minute: index % 2 === 0 ? null : minute },
  ];
  return each[index % each.length]!;
}

/** What version 2 has in its place; of each fourth schedule only the payload is another. */
function changedDefinitionOf(index: number, version: string): Definition {
  if (version === "1" || index % 4 === 0) return definitionOf(index);
  const step = version === "2" ? 3 : 7;
  return index % 3 === 1 ? { everySeconds: step } : { timeZone: "UTC", seconds: secondsOf(step), minute: null };
}

function codeOf(version: string): CodeSchedule[] {
  return named("code", IN_CODE).map((name, index) => ({
    name,
    payload: { holdMs: 20, version },
    ...rulesOf(changedDefinitionOf(index, version)),
  }));
}

/** What a schedule said at first, and what it said after the deploy. */
function saidOf(name: string): Said[] {
  const index = Number(name.replace(/^\D+/, ""));
  if (name.startsWith("called")) return [{ version: "1", definition: definitionOf(index) }];
  return ["1", "2"].map((version) => ({ version, definition: changedDefinitionOf(index, version) }));
}

async function makeSchedules(): Promise<void> {
  for (const [index, name] of named("called", CALLED).entries()) {
    const payload = { holdMs: 20, version: "1" };
    const backoff = { kind: "fixed", delay: "100ms" };
    const body = JSON.stringify({ type: "order", ...rulesOf(definitionOf(index)), payload, backoff });
    const { status } = await nodes[0]!.client.send("PUT", `/v1/schedules/${name}`, { body });
    expect(status).toBe(201);
  }
}

async function killOne(kill: number): Promise<void> {
  const [victim] = nodes.splice(kill % nodes.length, 1);
  await victim!.kill();
  nodes.push(await startNode());
}

/** Puts a node with the new code in the place of each, one after the other. */
async function deploy(version: string): Promise<void> {
  deployed = version;
  for (const old of Array.from(nodes)) {
    nodes.push(await startNode());
    nodes = nodes.filter((node) => node !== old);
    await old.stop();
  }
}

async function killAndMend(kills: number): Promise<void> {
  await killOne(kills - 1);
  if (kills === RESTART_AFTER_KILLS) await services.postgres.restart({ mode: "immediate" });
  if (IS_WHOLE && kills === DEPLOY_AFTER_KILLS) await deploy("2");
}

async function killAgainAndAgain(): Promise<void> {
  for (let kills = 1; kills <= KILLS; kills += 1) {
    await Promise.all([lasting(BETWEEN_KILLS_MS), killAndMend(kills)]);
  }
}

/** The definition in force of each schedule in the code. */
async function expectInForce(version: string): Promise<void> {
  const inCode = (await records.schedules()).filter(({ name }) => name.startsWith("code"));
  expect(inCode.map(({ payload }) => payload.version)).toEqual(named("code", IN_CODE).map(() => version));
}

async function expectMoreRuns(): Promise<void> {
  const before = (await ledger.occurred()).length;
  await eventually(async () => expect((await ledger.occurred()).length).toBeGreaterThan(before + CALLED));
}

/** Pauses a schedule for good. What its last runs left unsettled is settled by a resume. */
async function end(name: string): Promise<void> {
  for (const verb of ["pause", "resume", "pause"])
    await eventually(async () => {
      expect((await nodes[0]!.client.post(`/v1/schedules/${name}/${verb}`, {})).status).toBe(200);
    });
}

async function endAll(): Promise<ScheduleEvidence[]> {
  for (const { name } of await records.schedules()) await end(name);
  await eventually(async () => expect(await records.open()).toBe(0));
  return records.evidence(saidOf);
}

function tell(evidence: readonly ScheduleEvidence[], { crashes, sinceMs }: { crashes: number; sinceMs: number }): void {
  const outcomes: Record<string, number> = {};
  for (const one of evidence)
    for (const [outcome, count] of Object.entries(outcomesOf(one)))
      outcomes[outcome] = (outcomes[outcome] ?? 0) + count;
  const occurred = evidence.flatMap((one) => one.occurred);
  printFigures("schedules under faults", {
    schedules: evidence.length,
    minutes: Math.round((performance.now() - sinceMs) / 6_000) / 10,
    kills: KILLS,
    crashes,
    instants: evidence.flatMap(({ stretches }) => stretches.flatMap(({ instants }) => instants)).length,
    outcomes,
    occurrences: occurred.length,
    missed: occurred.reduce((sum, { missed }) => sum + missed, 0),
    lateness: summaryOf(evidence.flatMap(({ starts }) => starts.map(({ atMs, dueAtMs }) => atMs - dueAtMs))),
  });
}

describe("schedules while nodes and Postgres die", () => {
  test("every instant of the schedules is accounted for exactly once while nodes and Postgres die", async () => {
    const sinceMs = performance.now();
    await makeSchedules();
    await eventually(async () => expect((await ledger.occurred()).length).toBeGreaterThan(CALLED));
    // Nothing that it announces comes in force: neither before the deploy nor, with other code then, behind it.
    const pod = IS_WHOLE ? new CrashingPod(() => startNode(`crash after ${deployed}`), records) : null;
    await killAgainAndAgain();
    if (IS_WHOLE) await eventually(() => expectInForce("2"));
    await expectMoreRuns();
    await pod?.stop();
    const evidence = await endAll();
    tell(evidence, { crashes: pod?.announced ?? 0, sinceMs });
    expect(evidence).toHaveLength(CALLED + IN_CODE);
    requirePromises(evidence.flatMap(faultsOf));
    expect(evidence.flatMap(({ stretches }) => stretches)).toHaveLength(CALLED + 2 * IN_CODE);
    if (pod) expect(pod.announced).toBeGreaterThan(2);
  });
});
