import { describe, expect, test } from "@jest/globals";
import { FINDING_CODES, type FindingCode, type FindingValues } from "../reports/finding.js";
import { sentencesOf } from "./sentences.js";

const NODE = { node: "10.0.0.4:4711", nodeName: "tw-c" };
const TOLD: Readonly<Record<FindingCode, readonly [FindingValues, title: string, consequence: string]>> = {
  POSTGRES_AWAY: [
    { node: "10.0.0.4:4711", isAlone: false, nodes: 3 },
    "Postgres is away from all 3 nodes",
    "Nothing starts and nothing is lost. Creates answer 503 and may be sent again. What ran was told to stop and runs again.",
  ],
  COMMITS_UNSAFE: [
    { setting: "synchronous_commit", value: "off", standbys: 0 },
    "Postgres runs with synchronous_commit = off",
    "If the server crashes, the last commits are forgotten, up to three times wal_writer_delay: tasks that were acknowledged are lost, what was cancelled or completed runs again.",
  ],
  STANDBYS_ASYNCHRONOUS: [
    { setting: "synchronous_standby_names", value: "", standbys: 2 },
    "Postgres has 2 standbys, and commits wait for none",
    "A fail-over forgets what the new primary has not received: tasks that were acknowledged in the last moments are lost, what was cancelled or completed then runs again.",
  ],
  SNAPSHOT_HELD: [
    {
      kind: "session",
      name: "4711",
      application: "report",
      user: "analyst",
      state: "idle in transaction",
      query: "SELECT 1",
      since: "2026-11-26T00:00:00.000Z",
      deadRows: 1_200_000,
      transactions: 345_678,
    },
    "The session 4711 (report, analyst, idle in transaction) has held a snapshot since 2026-11-26T00:00:00.000Z",
    "Postgres removes no row that died since: 1,200,000 dead rows in the tables of the tasks after 345,678 transactions. Claims and sweeps pass over them and get slower while it lasts. Nothing is lost.",
  ],
  REDIS_AWAY: [
    { nodes: ["a", "b"], sweepMs: 1_000 },
    "Redis is away from all 2 nodes",
    "Nodes coordinate through Postgres: hints come later, up to 1 s late. Nothing is lost.",
  ],
  TYPE_WITHOUT_NODE: [
    { type: "mail.send", overdue: 412, isAtLeast: false, oldestMs: 184_000, lastNode: null },
    "No live node runs mail.send",
    "412 tasks are overdue, the oldest by 3 min 4 s. They lose no attempt.",
  ],
  QUEUE_WITHOUT_CONSUMER: [
    { type: "image.resize", overdue: 412, isAtLeast: false, oldestMs: 184_000, running: 0 },
    "Nobody fetches tasks of image.resize",
    "412 tasks are overdue, the oldest by 3 min 4 s. They lose no attempt.",
  ],
  SCHEDULE_WITHOUT_NODE: [
    { type: "report.build", schedules: ["nightly"], scheduleCount: 1, areMoreSchedules: false, lastNode: null },
    "No live node runs report.build, the type of the schedule nightly",
    "Nothing of report.build is overdue yet, but no further occurrence can start.",
  ],
  SCHEDULE_PAUSED: [
    {
      type: "report.build",
      schedules: ["nightly"],
      scheduleCount: 1,
      failures: 3,
      pausedAt: "2026-11-26T00:00:00.000Z",
    },
    "The schedule nightly paused itself after 3 failures in a row",
    "It has been paused since 2026-11-26T00:00:00.000Z. Nothing of it runs until it is resumed.",
  ],
  BATCH_OVERDUE: [
    {
      batches: ["settlement:2026-11-25"],
      batchIds: ["1"],
      batchCount: 1,
      areMoreBatches: false,
      deadlineAt: "2026-11-26T06:00:00.000Z",
      left: 3,
      missing: 1,
      total: 100,
      isComplete: false,
      onComplete: "settlement.compare",
    },
    "The batch settlement:2026-11-25 passed its deadline with 3 left",
    "1 of its 100 members has not succeeded yet. It is not complete, so settlement.compare was not made yet.",
  ],
  BATCH_UNSEALED: [
    { batches: ["import:7"], batchIds: ["1"], batchCount: 1, areMoreBatches: false, openForMs: 93_600_000 },
    "The batch import:7 has been open for members for 1 d 2 h: it was never sealed",
    "It cannot complete, even when all its members have ended. What it makes at its end is not made.",
  ],
  OPERATION_STOPPED: [
    { operationId: "1", action: "retry", changed: 120, estimate: 302, stoppedAt: "2026-11-26T00:00:00.000Z" },
    "An operation (retry) stopped: too many of its tasks failed again",
    "It stopped at 2026-11-26T00:00:00.000Z: 120 of about 302 tasks were changed.",
  ],
  OPERATION_HELD: [
    { operationId: "1", action: "cancel", changed: 7, estimate: null, heldForMs: 90_000_000 },
    "An operation (cancel) has been on hold for 1 d 1 h",
    "Nothing more of it happens until it is resumed: 7 tasks were changed.",
  ],
  TYPE_FAILING: [
    { type: "mail.send", share: 0.414, failed: 120, dead: 1, error: "HttpError: 503" },
    "mail.send: 41 % of attempts fail",
    "HttpError: 503. In the last 5 minutes 120 attempts failed, and 1 of them ended their task dead. The others are tried again.",
  ],
  DEAD_TASKS: [
    {
      type: "mail.send",
      fingerprint: "3f9c0a7be142",
      error: "HttpError: #",
      dead: 302,
      lastDiedAt: "2026-11-26T00:00:00.000Z",
      seenAt: null,
    },
    "302 dead tasks of mail.send: HttpError: #",
    "The last died at 2026-11-26T00:00:00.000Z. Nobody has looked at this cause. Dead tasks are tried no more, and are deleted after a time.",
  ],
  PLACES_TAKEN: [
    { places: 300, nodes: 3, waitMs: 2_500, type: "report", typeRunning: 270 },
    "All 300 places are taken",
    "Due tasks wait 2.5 s for a place. report holds 270 of them.",
  ],
  OVERDUE_UNEXPLAINED: [
    { overdue: 10_001, isAtLeast: true, oldestMs: 60_000, types: ["a", "b"] },
    "More than 10,000 tasks are overdue, and nobody takes them",
    "The oldest by 1 min; no cause is known. Types: a and b.",
  ],
  LOOP_BLOCKED: [
    { ...NODE, blockedMs: 14_200, inFlight: 1, running: ["report × 2"], task: null },
    "The event loop of tw-c (10.0.0.4:4711) is blocked, 14 s so far",
    "1 execution there waits for it. Other nodes take over what has not started.",
  ],
  NODE_SUSPECT: [
    { ...NODE, silentMs: 4_000, leftMs: 3_000 },
    "tw-c (10.0.0.4:4711) is suspect: no beat for 4 s",
    "It may be dead. What runs on it waits up to 3 s more; what has not started is taken over already.",
  ],
  NODE_DIED: [
    { ...NODE, silentMs: 7_000, slots: 1_365, inFlight: 2, running: [] },
    "Node tw-c (10.0.0.4:4711) died, and its tasks were taken over",
    "It had been silent for 7 s. 1,365 slots moved to the other nodes; 2 executions of it start again.",
  ],
  NO_LEADER: [
    { nodes: 3 },
    "No node leads",
    "Dead nodes are not noticed and views do not change. What is owned goes on.",
  ],
  CLOCK_OFF: [
    { ...NODE, offMs: -1_200 },
    "The clock of tw-c (10.0.0.4:4711) is 1.2 s behind the database's",
    "Its logs are wrong by that. Due times are not: they follow the database's clock.",
  ],
  FUTURE_OVER_CAPACITY: [
    {
      at: "2026-11-26T00:00:00.000Z",
      bucketMs: 3_600_000,
      due: 90_000,
      capacity: 60_000,
      lateMs: 1_800_000,
      type: "settle",
    },
    "The hour of 2026-11-26T00:00:00.000Z brings 90,000 tasks, 60,000 is the capacity",
    "The last starts about 30 min late. Nothing is lost.",
  ],
  VERSIONS_DIFFER: [
    { versions: ["1.0.0", "1.1.0"], newest: "1.1.0", remaining: ["10.0.0.4:4711"] },
    "Two versions run: 1.0.0 and 1.1.0",
    "What only 1.1.0 knows waits for the nodes that have it.",
  ],
  POLICIES_DIFFER: [
    { type: "order.cancel", others: ["10.0.0.4:4711"] },
    "The nodes want order.cancel to be run differently",
    "Their handlers have different attempts, backoff, time-out, priority or start deadline. New tasks get those of the node that joined last and has been there for 30 s.",
  ],
  TYPE_PAUSED: [
    {
      type: "feed",
      namespace: "default",
      since: "2026-11-26T00:00:00.000Z",
      until: null,
      by: "key:7",
      reason: "the provider moves",
      overdue: 12,
      isAtLeast: false,
      oldestMs: 180_000,
    },
    "feed is paused by key:7: the provider moves",
    "Since 2026-11-26T00:00:00.000Z none of its tasks starts: 12 tasks are overdue, the oldest for 3 min.",
  ],
  LIMIT_FULL: [
    {
      type: "export",
      namespace: "default",
      maxRunning: 5,
      rateCount: 100,
      ratePerMs: 1_000,
      overdue: 12,
      isAtLeast: false,
      fullForMs: 300_000,
    },
    "The limit of export has been full for 5 min",
    "No more may start than 5 at once and 100 in 1 s: 12 tasks are overdue.",
  ],
  BREAKER_OPEN: [
    {
      type: "feed",
      namespace: "default",
      since: "2026-11-26T00:00:00.000Z",
      until: "2026-11-26T00:05:00.000Z",
      failedTrials: 2,
      overdue: 12,
      isAtLeast: false,
    },
    "The breaker of feed is open since 2026-11-26T00:00:00.000Z",
    "Its attempts fail, so no node starts any: 12 tasks are overdue. 2 trials failed since. The next trial is at 2026-11-26T00:05:00.000Z: one task.",
  ],
  HOST_SLOWED: [
    {
      namespace: "default",
      host: "api.example",
      since: "2026-11-26T00:00:00.000Z",
      until: "2026-11-26T00:05:00.000Z",
      hosts: 2,
    },
    "api.example has asked to be left alone until 2026-11-26T00:05:00.000Z",
    "No node delivers to it before that; 1 host more of default rests, too. Its tasks lose no attempt.",
  ],
  SETTINGS_NOT_OBEYED: [
    { ...NODE, forMs: 20_000 },
    "tw-c (10.0.0.4:4711) does not obey the settings",
    "For 20 s it has worked by older ones: what was paused since may start there, and what was resumed may not.",
  ],
  REDIS_EVICTS: [
    { setting: "maxmemory-policy", value: "allkeys-lru", standbys: 0 },
    "Redis removes keys when its memory is full (allkeys-lru)",
    "Keys of living nodes may go. Nodes then see each other through Postgres alone: a death is noticed later, and no task is lost.",
  ],
  NODE_WITHOUT_REDIS: [
    { ...NODE, sweepMs: 1_000, slots: 1 },
    "tw-c (10.0.0.4:4711) sees no Redis, others do",
    "Its hints come late: up to 1 s for its 1 slot.",
  ],
  SCHEDULE_UNANNOUNCED: [
    { type: "report.build", schedules: ["nightly"], scheduleCount: 1, pausedAt: "2026-11-26T00:00:00.000Z" },
    "The schedule nightly is in no node's code any more",
    "It has been paused since 2026-11-26T00:00:00.000Z. It resumes by itself when a node announces it again.",
  ],
};

describe("a finding in words", () => {
  test.each(FINDING_CODES)("the finding %s is told in words", (code) => {
    const [facts, title, consequence] = TOLD[code];
    const told = sentencesOf({ code, facts });
    expect(told).toMatchObject({ title, consequence });
    expect(told.cure).toMatch(/^[A-Z].*\.$/s);
    expect(title).not.toMatch(/\.$/);
  });

  test("a finding says in words where some places are kept for others", () => {
    const [facts] = TOLD.PLACES_TAKEN;
    expect(sentencesOf({ code: "PLACES_TAKEN", facts: { ...facts, taken: 270 } }).title).toBe(
      "270 of 300 places are taken, the rest is kept for others",
    );
  });

  test("a finding names the node that ran the type last, and what ran in a node that died of it", () => {
    const last = { lastNode: "10.0.0.4:4711", lastNodeDied: true, lastNodeEndedAt: "2026-11-26T00:00:00.000Z" };
    const [facts] = TOLD.TYPE_WITHOUT_NODE;
    expect(sentencesOf({ code: "TYPE_WITHOUT_NODE", facts: { ...facts, ...last } }).cure).toBe(
      "Start a node with this handler. The last was 10.0.0.4:4711, which died at 2026-11-26T00:00:00.000Z.",
    );
    const died = sentencesOf({ code: "NODE_DIED", facts: { ...TOLD.NODE_DIED[0], running: ["report × 2"] } });
    expect(died.cure).toBe("Nothing to do here. Its last word: its loop was blocked, running report × 2.");
  });

  test.each<[FindingValues, who: RegExp, cure: RegExp]>([
    [{ kind: "session", name: "7" }, /^The session 7 has/, /SELECT pg_terminate_backend\(7\)\.$/],
    [{ kind: "session", name: "7", query: "SELECT 1" }, /^The session 7 has/, / Its last statement: SELECT 1\.$/],
    [{ kind: "prepared", name: "it's" }, /^The prepared transaction 'it''s' has/, /ROLLBACK PREPARED 'it''s'\.$/],
    [{ kind: "prepared", name: "a", user: "shop" }, /^The prepared transaction 'a' of shop has/, /ROLLBACK PREPARED/],
    [{ kind: "slot", name: "a", isActive: false }, /slot a, which nobody uses, has/, /drop_replication_slot\('a'\)/],
    [{ kind: "slot", name: "a", isActive: true }, /slot a, which is in use, has/, /hot_standby_feedback = off there/],
    [{ kind: "standby", name: "7", application: "b" }, /^A standby \(b, process 7\) has/, /hot_standby_feedback = off/],
    [{ kind: "standby", name: "7" }, /^A standby \(process 7\) has/, /hot_standby_feedback = off there/],
  ])("a finding names who holds a snapshot, and what ends it: %j", (facts, who, cure) => {
    const told = sentencesOf({ code: "SNAPSHOT_HELD", facts });
    expect(told.title).toMatch(who);
    expect(told.cure).toMatch(cure);
  });

  test("a finding about many schedules names three of them", () => {
    const schedules = ["a", "b", "c", "d", "e"];
    const pausedAt = "2026-11-26T00:00:00.000Z";
    const facts = { type: "mail", schedules, scheduleCount: 5, areMoreSchedules: false, failures: 4, pausedAt };
    expect(sentencesOf({ code: "SCHEDULE_PAUSED", facts })).toEqual({
      title: "5 schedules of mail paused themselves because their runs fail",
      consequence: `The first has been paused since ${pausedAt}, after up to 4 failures in a row. Nothing of them runs until they are resumed. They are a, b, c and 2 more.`,
      cure: "Look at the errors of the last runs and mend the handler of mail. Then resume the schedules.",
    });
    const more = { ...facts, scheduleCount: 101, areMoreSchedules: true };
    expect(sentencesOf({ code: "SCHEDULE_UNANNOUNCED", facts: more })).toMatchObject({
      title: "More than 100 schedules of mail are in no node's code any more",
      consequence: expect.stringMatching(/ Among them: a, b, c\.$/),
    });
    const two = { ...facts, schedules: ["a", "b"], scheduleCount: 2 };
    expect(sentencesOf({ code: "SCHEDULE_WITHOUT_NODE", facts: two })).toMatchObject({
      title: "No live node runs mail, the type of 2 schedules",
      consequence: expect.stringMatching(/ They are a and b\.$/),
    });
  });

  test("a finding about a batch past its deadline tells whether it has made what it makes at its end", () => {
    const [facts] = TOLD.BATCH_OVERDUE;
    const endWith = (more: FindingValues): string =>
      sentencesOf({ code: "BATCH_OVERDUE", facts: { ...facts, missing: 2, ...more } }).consequence;
    const members = "2 of its 100 members have not succeeded yet.";
    expect(endWith({ isComplete: true })).toBe(`${members} It is complete, and settlement.compare was made.`);
    expect(endWith({ isComplete: true, onComplete: null })).toBe(`${members} It is complete.`);
    expect(endWith({ onComplete: null })).toBe(`${members} It is not complete.`);
  });

  test("a finding about many batches names three of them", () => {
    const many = { batches: ["a", "b", "c", "d"], batchCount: 30, areMoreBatches: false, openForMs: 172_800_000 };
    const deadlineAt = "2026-11-26T06:00:00.000Z";
    expect(sentencesOf({ code: "BATCH_OVERDUE", facts: { ...many, deadlineAt } })).toEqual({
      title: "30 batches passed their deadlines with members left",
      consequence: `The last of these deadlines was ${deadlineAt}. Members of each have not succeeded yet. They are a, b, c and 27 more.`,
      cure: "See their leftovers. Retry those that are dead, or settle them by hand.",
    });
    const more = { ...many, batchCount: 101, areMoreBatches: true };
    expect(sentencesOf({ code: "BATCH_UNSEALED", facts: more })).toEqual({
      title: "More than 100 batches have been open for members for up to 2 d: they were never sealed",
      consequence:
        "They cannot complete, even when all their members have ended. What they make at their end is not made. Among them: a, b, c.",
      cure: "Seal those whose members are all there, and cancel the others.",
    });
  });

  test("a finding tells with a type's overdue tasks which schedules wait for a node", () => {
    const [facts] = TOLD.TYPE_WITHOUT_NODE;
    const consequenceWith = (more: FindingValues): string =>
      sentencesOf({ code: "TYPE_WITHOUT_NODE", facts: { ...facts, ...more } }).consequence;
    expect(consequenceWith({ schedules: ["nightly"], scheduleCount: 1 })).toMatch(
      / Its schedule nightly waits, too\.$/,
    );
    expect(consequenceWith({ schedules: ["a", "b"], scheduleCount: 2 })).toMatch(
      / Its schedules wait, too\. They are a and b\.$/,
    );
  });

  test.each(FINDING_CODES)("the finding %s is told even where a row of another version lacks its facts", (code) => {
    expect(Object.values(sentencesOf({ code, facts: {} })).join(" ")).not.toMatch(/undefined|NaN|null|\[object/);
  });
});
