import assert from "node:assert/strict";
import {
  type FilteredTask,
  fingerprintOf,
  fits,
  isInTab,
  type JoinedConditions,
  newTaskId,
  printOf,
  slotOfKey,
  type Task,
  type TaskConditions,
  TASK_TABS,
  type TaskTab,
} from "@tickwheel/core";
import { SeededRandom } from "@tickwheel/testing";
import { findAll } from "../subject/find-all.js";
import { labelOf, refOf, Scenario } from "../subject/scenario.js";
import type { ConformanceCase } from "../subject/subject.js";

const HOUR_MS = 3_600_000;
const KEY = String.raw`Order-1%_\'`;
const ERROR = String.raw`HttpError 503: 100% Of_All \ gone; '); DROP`;
/** The fingerprints of the errors that the scene has. */
const PRINTS = { failing: fingerprintOf(printOf(ERROR).print), dead: fingerprintOf(printOf("no answer").print) };
const ABSENT_PRINT = "0123456789ab";
const ABSENT_ID = "019a0000-0000-7000-8000-000000000001";

/** Tasks by a name each, of which no two are alike to filters. */
type Named = Record<string, string>;

/** The same places of the scene for every case: ids are made one millisecond after the other. */
class FilterScene {
  private readonly random = new SeededRandom(11);
  private constructor(
    private readonly scene: Scenario,
    private readonly typeIds: ReadonlyMap<string, number>,
  ) {}

  static async open(scene: Scenario): Promise<FilterScene> {
    const { namespace } = scene;
    const types = ["mail", "mail.send", "mailer"];
    const made = await Promise.all(
      types.map((type) => scene.store.ensureType({ namespace, type, delivery: "handler" })),
    );
    return new FilterScene(scene, new Map(made.map(({ type, id }) => [type, id])));
  }

  async fill(): Promise<Named> {
    const { scene } = this;
    const waiting = {
      keyed: await this.create("mail.send", { key: KEY, tags: ["vip", "a,b"], priority: 0, actor: "key:2" }),
      starred: await this.create("mail.send", { key: "a*", priority: 9 }),
      begun: await this.create("mail.send", { key: "ab", tags: ["Vip"] }),
      late: await this.create("mailer", { due: { delayMs: 1 }, tags: ["vip"] }),
      paused: await this.create("mail", { due: { delayMs: 1 }, actor: "Key:2" }),
    };
    await scene.pause(waiting.paused);
    await scene.advance(HOUR_MS);
    const failing = await scene.running();
    const failed = {
      ...refOf(failing),
      startedAt: scene.now(),
      kind: "retry",
      delayMs: HOUR_MS,
      error: ERROR,
    } as const;
    await scene.store.settle([failed]);
    const dead = await scene.running({ key: "b", tags: ["vip"] }, await scene.join());
    await scene.bury(dead);
    const succeeded = await scene.running({ priority: 1 });
    await scene.succeed(succeeded);
    const cancelled = await scene.create({ key: "b" });
    await scene.cancel(cancelled.id);
    await scene.store.archive(1_000);
    const running = await scene.running({ key: "b" });
    const ended = { dead: dead.id, succeeded: succeeded.id, cancelled: cancelled.id };
    return { ...waiting, failing: failing.id, ...ended, running: running.id };
  }

  private async create(type: string, given: Parameters<Scenario["newTask"]>[0]): Promise<string> {
    await this.scene.advance(1);
    const { key } = given ?? {};
    const slot = key === undefined || key === null ? 7 : slotOfKey(this.scene.namespace, type, key);
    const id = newTaskId(this.scene.now(), slot, this.random);
    const due = { delayMs: 2 * HOUR_MS };
    return (await this.scene.create({ due, ...given, id, typeId: this.typeIds.get(type)! })).id;
  }
}

/** A filter, and the tasks that it finds. */
type Row = [filter: TaskConditions, names: string[]];

const ENDED = ["dead", "succeeded", "cancelled"];

/** @param now the store's clock */
function rowsOf(tasks: Named, { now, nodes }: { now: number; nodes: [string, string] }): Row[] {
  return [...rowsOfKinds(), ...rowsOfNames(tasks), ...rowsOfNumbers(now), ...rowsOfTexts(tasks, nodes)];
}

function without(tasks: Named, ...names: string[]): string[] {
  return Object.keys(tasks).filter((name) => !names.includes(name));
}

function rowsOfKinds(): Row[] {
  return [
    [{ type: "mail" }, ["paused"]],
    [{ type: "Mail" }, []],
    [{ type: ["mailer", "mail"] }, ["late", "paused"]],
    [{ type: "mail.*" }, ["keyed", "starred", "begun"]],
    [{ type: ["mail*", "order.cancel"], not: { type: ["mail", "mail.*", "order.*"] } }, ["late"]],
    [{ not: { type: "order.cancel" } }, ["keyed", "starred", "begun", "late", "paused"]],
    [{ states: ["overdue"] }, ["late"]],
    [{ states: ["failing"] }, ["failing"]],
    [{ states: ["overdue", "failing", "dead"] }, ["late", "failing", "dead"]],
    [{ states: ["overdue", "scheduled"] }, ["keyed", "starred", "begun", "late", "failing"]],
    [{ states: ["waiting"] }, ["keyed", "starred", "begun", "late", "failing", "paused"]],
    [{ states: ["ended"] }, ENDED],
    [{ states: ["ended"], live: false, key: "b" }, ["dead", "cancelled"]],
    [{ states: ["ended"], live: true }, []],
  ];
}

function rowsOfNames(tasks: Named): Row[] {
  return [
    [{ key: KEY }, ["keyed"]],
    [{ key: KEY.toLowerCase() }, []],
    [{ key: "a*" }, ["starred"]],
    [{ key: "b", type: ["mail", "order.*"] }, ["dead", "cancelled", "running"]],
    [{ key: "b", not: { type: "order.cancel" } }, []],
    [{ keyPrefix: "Order-", type: "mail.send" }, ["keyed"]],
    [{ keyPrefix: "order-", type: "mail.send" }, []],
    [{ keyPrefix: "a", type: "mail.send" }, ["starred", "begun"]],
    [{ keyPrefix: "%", type: "mail.send" }, []],
    [{ tag: "vip" }, ["keyed", "late", "dead"]],
    [{ tag: ["a,b", "vip"] }, ["keyed"]],
    [{ not: { tag: "vip" } }, without(tasks, "keyed", "late", "dead")],
    [{ not: { tag: ["a,b", "Vip"] } }, without(tasks, "keyed", "begun")],
    [{ id: [tasks.keyed!, tasks.cancelled!, ABSENT_ID] }, ["keyed", "cancelled"]],
    [{ id: tasks.keyed!, not: { tag: "vip" } }, []],
    [{ batch: ABSENT_ID }, []],
    [{ schedule: "nightly" }, []],
    [{ operation: ABSENT_ID }, []],
    [{ operation: ABSENT_ID, outcome: "CHANGED" }, []],
  ];
}

function rowsOfNumbers(now: number): Row[] {
  return [
    [{ createdFrom: now }, ["failing", ...ENDED, "running"]],
    [{ createdTo: now, not: { type: "mail.send" } }, ["late", "paused"]],
    [{ dueFrom: now, dueTo: now + HOUR_MS / 2 }, [...ENDED, "running"]],
    [{ startedTo: now + 1 }, ["failing", "dead", "succeeded"]],
    [{ startedTo: now }, []],
    [{ finishedFrom: now }, ENDED],
    [{ finishedTo: now }, []],
    [{ priorityTo: 1 }, ["keyed", "succeeded"]],
    [{ priorityFrom: 6, priorityTo: 9 }, ["starred"]],
    [{ attemptFrom: 1 }, ["failing", "dead", "succeeded", "running"]],
    [{ attemptTo: 0, states: ["ended"] }, ["cancelled"]],
  ];
}

function rowsOfTexts(tasks: Named, [node, other]: [string, string]): Row[] {
  return [
    [{ node }, ["failing", "succeeded", "running"]],
    [{ not: { node } }, without(tasks, "failing", "succeeded", "running")],
    [{ node: other }, ["dead"]],
    [{ error: "httperror 503: 100% of_all \\ gone; ')" }, ["failing"]],
    [{ error: "50%" }, []],
    [{ not: { error: "ANSWER" } }, without(tasks, "dead")],
    [{ fingerprint: PRINTS.failing }, ["failing"]],
    [{ fingerprint: [ABSENT_PRINT, PRINTS.failing, PRINTS.dead] }, ["failing", "dead"]],
    [{ fingerprint: [PRINTS.failing, PRINTS.dead], states: ["dead"] }, ["dead"]],
    [{ fingerprint: [PRINTS.dead], states: ["dead"], not: { error: "ANSWER" } }, []],
    [{ fingerprint: ABSENT_PRINT }, []],
    [{ reason: ["ATTEMPTS", "CRASHES"] }, ["dead"]],
    [{ not: { reason: "REQUESTED" } }, without(tasks, "cancelled")],
    [{ createdBy: ["key:2", "nobody"] }, ["keyed"]],
    [{ not: { createdBy: ["creator", "Key:2"] } }, ["keyed"]],
    [{ type: "mail.send", states: ["waiting"], createdBy: "creator", not: { tag: "Vip", node } }, ["starred"]],
  ];
}

/** What core's own judgement looks at. */
async function filteredTasks(scene: Scenario, tasks: Named): Promise<FilteredTask[]> {
  const judged = async (id: string): Promise<FilteredTask> => {
    const task = await scene.get(id);
    const ran = (await scene.journal(id)).findLast(({ node }) => node !== null);
    return { ...task, lastNode: task.node ?? ran?.node ?? null, schedule: null, outcomes: new Map() };
  };
  return Promise.all(Object.values(tasks).map(judged));
}

async function idsOf(scene: Scenario, filter: JoinedConditions & { tab?: TaskTab }): Promise<string[]> {
  return (await findAll(scene.store, { namespace: scene.namespace, ...filter })).map(({ id }: Task) => id);
}

/** A filter of some of the conditions of a table. */
function someOf(rows: readonly TaskConditions[], random: SeededRandom): TaskConditions {
  const pick = () => rows[Math.floor(random.next() * rows.length)]!;
  const parts = Array.from({ length: 1 + Math.floor(random.next() * 3) }, pick);
  const not = Object.assign({}, ...parts.map((part) => part.not ?? {})) as TaskConditions["not"];
  return { ...(Object.assign({}, ...parts) as TaskConditions), ...(parts.some((part) => part.not) && { not }) };
}

/** Which tasks each field of a filter means, and what a task without a value does. */
export const filterCases: readonly ConformanceCase[] = [
  {
    name: "each field of a filter finds the tasks that it means, by what it says literally",
    async run(subject) {
      const other = await Scenario.open(subject);
      const scene = await Scenario.open(subject);
      await (await FilterScene.open(other)).fill();
      const tasks = await (await FilterScene.open(scene)).fill();
      const judged = await filteredTasks(scene, tasks);
      const nodes: [string, string] = [labelOf(scene.node), judged.find(({ id }) => id === tasks.dead)!.lastNode!];
      for (const [filter, names] of rowsOf(tasks, { now: scene.now(), nodes })) {
        const said = JSON.stringify(filter);
        const wanted = names.map((name) => tasks[name]!).sort();
        assert.deepEqual((await idsOf(scene, filter)).sort(), wanted, said);
        const fitting = judged.filter((task) => fits(task, filter, scene.now())).map(({ id }) => id);
        assert.deepEqual(fitting.sort(), wanted, `core judges ${said}`);
      }
    },
  },
  {
    name: "filters of several fields find what fits all of them, newest first, and in tabs those of the tab",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const tasks = await (await FilterScene.open(scene)).fill();
      const judged = await filteredTasks(scene, tasks);
      const rows = rowsOf(tasks, { now: scene.now(), nodes: [labelOf(scene.node), "10.0.0.9:1"] });
      const random = new SeededRandom(5);
      for (let round = 0; round < 60; round++) {
        const said = rows.map(([row]) => row);
        const also = round % 3 === 0 ? { also: someOf(said, random) } : {};
        const filter = { ...someOf(said, random), ...also };
        const fitting = judged.filter((task) => fits(task, filter, scene.now()));
        const name = JSON.stringify(filter);
        const newestFirst = fitting
          .map(({ id }) => id)
          .sort()
          .reverse();
        assert.deepEqual(await idsOf(scene, filter), newestFirst, name);
        const tab = TASK_TABS[round % TASK_TABS.length]!;
        const inTab = fitting.filter((task) => isInTab(tab, task, scene.now())).map(({ id }) => id);
        assert.deepEqual((await idsOf(scene, { ...filter, tab })).sort(), inTab.sort(), `${tab} ${name}`);
      }
    },
  },
];
