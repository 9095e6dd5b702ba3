import assert from "node:assert/strict";
import { isDeepStrictEqual } from "node:util";
import {
  type DeliveryKind,
  departureOf,
  type ExecutionRef,
  isWaitingState,
  nameOfTransition,
  type PausedKey,
  type PauseSubject,
  type Task,
  TASK_STATES,
  type TaskState,
  TRANSITIONS,
  transitionOf,
} from "@tickwheel/core";
import { refOf, Scenario } from "../subject/scenario.js";
import type { ConformanceCase, TaskStoreSubject } from "../subject/subject.js";

/** A keyed task in some state. */
interface Stage {
  scene: Scenario;
  task: Task;
  /** Its execution, or its last one. */
  execution: ExecutionRef;
}

/** Asks the store to change the task; the result does not matter. */
type Attempt = (stage: Stage) => Promise<unknown>;

const KEY = "k";
/** How long after its due time a task that may expire may start, in milliseconds. */
const START_DEADLINE_MS = 60_000;
const LEASE_MS = 30_000;

const claim: Attempt = ({ scene, task }) => scene.claim([task.id]);
/** A claim that knows that the task's key is paused, of a key that is. */
const claimPausedKey: Attempt = async ({ scene, task }) => {
  await pauseKey(scene);
  const pausedKeys = [{ typeId: scene.type.id, key: KEY }];
  return scene.store.claim({ owner: scene.node, ids: [task.id], claimAheadMs: 0, pausedKeys });
};
/** A claim within a limit of the task's type, which may know that the task's key is paused. */
async function claimLimited({ scene, task }: Stage, pausedKeys: readonly PausedKey[]): Promise<unknown> {
  const { node, type, subject } = scene;
  const values = { maxRunning: 1 };
  await subject.settings().changeSettings({ kind: "type", actor: "operator", typeId: type.id, values });
  const { limits } = await subject.settings().readSettings();
  const limitIds = limits.filter(({ typeId }) => typeId === type.id).map(({ id }) => id);
  return subject.limits().claimLimited({ owner: node, ids: [task.id], claimAheadMs: 0, limitIds, most: 1, pausedKeys });
}
const claimPausedKeyLimited: Attempt = async (stage) => {
  await pauseKey(stage.scene);
  return claimLimited(stage, [{ typeId: stage.scene.type.id, key: KEY }]);
};
const resumeEndedKeys: Attempt = async ({ scene }) => {
  const subject = await pauseKey(scene);
  await scene.subject.settings().changeSettings({ kind: "resume", actor: "operator", subject });
  return scene.subject.settings().resumeEndedKeys(100);
};
const cancel: Attempt = ({ scene, task }) => scene.cancel(task.id);
const pause: Attempt = ({ scene, task }) => scene.pause(task.id);
const bury: Attempt = ({ scene, execution }) => scene.bury(execution);

async function pauseKey({ subject, namespace, type }: Scenario): Promise<PauseSubject> {
  const paused = { namespace, typeId: type.id, key: KEY };
  const pause = { kind: "pause", actor: "operator", subject: paused, until: null, reason: null } as const;
  await subject.settings().changeSettings(pause);
  return paused;
}

function succeed({ scene, execution }: Stage): Promise<unknown> {
  return scene.store.settle([{ ...refOf(execution), startedAt: scene.now(), kind: "succeeded", result: null }]);
}

function completeWithin({ scene, execution }: Stage): Promise<unknown> {
  const completion = { ...refOf(execution), startedAt: scene.now(), result: null };
  return scene.subject.transaction((within) => scene.store.completeWithin(completion, within));
}

function edit({ scene, task }: Stage): Promise<unknown> {
  return scene.store.edit({ namespace: scene.namespace, id: task.id, changes: { priority: 1 }, actor: "editor" });
}

async function expire({ scene }: Stage): Promise<unknown> {
  await scene.advance(START_DEADLINE_MS + 1);
  return scene.store.expire({ typeIds: [scene.type.id], limit: 100 });
}

function meetKey(onConflict: "refresh" | "merge" | "replace"): Attempt {
  return ({ scene }) => scene.createAll(scene.newTask({ key: KEY, onConflict }));
}

const pull: Attempt = ({ scene }) => {
  const asked = { places: [{ leaseMs: LEASE_MS, consumer: "worker" }], notBefore: null };
  return scene.subject.leases().pull({ typeId: scene.type.id, ...asked });
};
const pullPausedKey: Attempt = async (stage) => {
  await pauseKey(stage.scene);
  return pull(stage);
};
async function endLeases({ scene }: Stage): Promise<unknown> {
  await scene.advance(LEASE_MS + 1);
  return scene.subject.leases().endLeases(100);
}

/** The ways to ask each method of the store for a change of a task. */
const ATTEMPTS: Record<string, Attempt[]> = {
  create: [meetKey("refresh"), meetKey("merge"), meetKey("replace")],
  claim: [claim, claimPausedKey],
  "limits.claimLimited": [(stage) => claimLimited(stage, []), claimPausedKeyLimited],
  settle: [
    succeed,
    ({ scene, execution }) => scene.store.settle([{ ...refOf(execution), startedAt: scene.now(), kind: "skipped" }]),
    ({ scene, execution }) => scene.fail(execution),
    ({ scene, execution }) => scene.snooze(execution),
    bury,
  ],
  completeWithin: [completeWithin],
  release: [({ scene, execution }) => scene.store.release([{ ...refOf(execution), reason: "DRAIN" }])],
  defer: [({ scene, execution }) => scene.store.defer([{ ...refOf(execution), delayMs: 0 }])],
  reap: [3, 1].map(
    (maxCrashes) =>
      ({ scene, execution }) =>
        scene.reap(execution.owner, maxCrashes),
  ),
  expire: [expire],
  cancel: [cancel],
  pause: [pause],
  resume: [({ scene, task }) => scene.resume(task.id)],
  "settings.resumeEndedKeys": [resumeEndedKeys],
  edit: [edit],
  retry: [({ scene, task }) => scene.retry(task.id)],
};

/** The same of a `LeaseStore`. */
const LEASE_ATTEMPTS: Record<string, Attempt[]> = {
  "leases.pull": [pull, pullPausedKey],
  "leases.endLeases": [endLeases],
};

/** The attempts that bring a scheduled task to a state; to `running`, see {@link waysTo}. */
const WAYS: Partial<Record<TaskState, Attempt[]>> = {
  scheduled: [],
  paused: [pause],
  succeeded: [claim, succeed],
  dead: [claim, bury],
  cancelled: [cancel],
  expired: [expire],
};

interface Beginning {
  delivery?: DeliveryKind;
  /** It has made one. */
  maxAttempts?: number;
}

/**
 * A scheduled task that has crashed a node, failed once and was put off once, so that none of its numbers is 0 by
 * chance. It never expires, because it has started.
 */
async function begin(subject: TaskStoreSubject, { delivery = "handler", maxAttempts = 5 }: Beginning): Promise<Stage> {
  const scene = await Scenario.open(subject, delivery);
  const execution = await scene.running({ key: KEY, maxAttempts }, await scene.join());
  await scene.reap(execution.owner);
  await scene.fail(await scene.reclaim(execution.id));
  await scene.snooze(await scene.reclaim(execution.id));
  return { scene, execution, task: await scene.get(execution.id) };
}

/** A scheduled task with a start deadline that was claimed and given back before it started. */
async function beginUnstarted(subject: TaskStoreSubject, { delivery = "handler" }: Beginning): Promise<Stage> {
  const scene = await Scenario.open(subject, delivery);
  const execution = await scene.running({ key: KEY, startDeadlineMs: START_DEADLINE_MS });
  await scene.store.release([{ ...refOf(execution), reason: "DRAIN" }]);
  return { scene, execution, task: await scene.get(execution.id) };
}

/** The stage after an attempt. */
async function after(stage: Stage, attempt: Attempt): Promise<Stage> {
  await attempt(stage);
  const task = await stage.scene.get(stage.task.id);
  const { id, owner, fence } = task;
  const execution = task.state === "running" ? { id, owner: owner!, fence } : stage.execution;
  return { ...stage, task, execution };
}

/**
 * Asks a method in every way to change a task in a state; a running task with and without a cancel request. Each change
 * must be a line of the table.
 *
 * @returns the names of these lines
 */
async function linesTaken(subject: TaskStoreSubject, by: string, from: TaskState): Promise<string[]> {
  const names: string[] = [];
  const ways = waysTo(by, from);
  const attempts = ATTEMPTS[by] ?? LEASE_ATTEMPTS[by]!;
  for (const prepare of beginningsOf(by, from))
    for (const [way, attempt] of ways.flatMap((way) => attempts.map((attempt) => [way, attempt] as const))) {
      let stage = await prepare(subject);
      for (const step of way) stage = await after(stage, step);
      assert.equal(stage.task.state, from);
      const move = { by, before: stage.task, after: (await after(stage, attempt)).task };
      if (isDeepStrictEqual(move.before, move.after)) continue;
      assert.equal(departureOf(move), null);
      names.push(nameOfTransition(transitionOf(move)!));
    }
  return [...new Set(names)].sort();
}

/** What has started does not expire, and meets a create with its key in another way. */
function beginningsOf(by: string, from: TaskState): ((subject: TaskStoreSubject) => Promise<Stage>)[] {
  const how: Beginning = { delivery: by in LEASE_ATTEMPTS ? "pull" : "handler" };
  const begun = (subject: TaskStoreSubject) => begin(subject, how);
  const unstarted = (subject: TaskStoreSubject) => beginUnstarted(subject, how);
  const last = (subject: TaskStoreSubject) => begin(subject, { ...how, maxAttempts: 2 });
  if (by === "expire" || from === "expired") return [unstarted];
  if (by === "leases.endLeases") return [begun, last];
  return by === "create" && isWaitingState(from) ? [begun, unstarted] : [begun];
}

/** A task runs under a node, and, for who is about leases, under a consumer; with and without a cancel request. */
function waysTo(by: string, from: TaskState): Attempt[][] {
  if (from !== "running") return [WAYS[from]!];
  const starts = by in LEASE_ATTEMPTS ? [claim, pull] : [claim];
  return starts.flatMap((start) => [[start], [start, cancel]]);
}

/** The names of the lines of the table that lead out of a state by a method. */
function linesOf(by: string, from: TaskState): string[] {
  const lines = TRANSITIONS.filter((line) => line.from === from && line.by.includes(by));
  return lines.map(nameOfTransition).sort();
}

function caseOf(by: string, from: TaskState): ConformanceCase {
  const lines = linesOf(by, from);
  const does = lines.length === 0 ? "changes nothing" : `takes only the ways of the table (${lines.join("; ")})`;
  return {
    name: `${by} of a ${from} task ${does}`,
    async run(subject) {
      assert.deepEqual(await linesTaken(subject, by, from), lines);
    },
  };
}

function walksOf(attempts: Record<string, Attempt[]>): ConformanceCase[] {
  return Object.keys(attempts).flatMap((by) => TASK_STATES.map((from) => caseOf(by, from)));
}

/**
 * Walks the table of transitions: each method of the store is asked to change a task in each state. All lines of the
 * table are taken, and nothing else happens to a task.
 */
export const transitionCases: ConformanceCase[] = [
  {
    name: "a new task begins as the table says",
    async run(subject) {
      const scene = await Scenario.open(subject);
      for (const key of [null, KEY]) {
        const task = await scene.create({ key });
        assert.equal(departureOf({ by: "create", before: null, after: task }), null);
      }
    },
  },
  ...walksOf(ATTEMPTS),
];

/** The same for the methods of a `LeaseStore`. */
export const leaseTransitionCases: ConformanceCase[] = walksOf(LEASE_ATTEMPTS);
