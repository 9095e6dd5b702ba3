// Two effect calls of one handler, side by side, one within the other and not awaited, on a real store: a task that has
// succeeded has all that its handler asked for.
import assert from "node:assert/strict";
import { type ConformanceCase, Scenario, type TaskStoreSubject } from "@tickwheel/conformance";
import {
  type CallerTransaction,
  type ClaimedTask,
  type ExecutionResult,
  SystemClock,
  type Settlement,
  type TickwheelError,
} from "@tickwheel/core";
import { HandlerExecutor, type HandlerContext } from "@tickwheel/executors";

/** The calls that store something of their own; `checkpoint` and `walk` share one place. */
const CALLS = ["transaction", "once", "walk", "checkpoint", "spawn", "snooze"] as const;
type Call = (typeof CALLS)[number];

type Inner = () => Promise<unknown>;

/** How a handler makes its two calls. */
const WAYS = {
  "side by side": (first: Inner, second: Inner) => Promise.all([first(), second()]),
  "whatever becomes of them": (first: Inner, second: Inner) => Promise.allSettled([first(), second()]),
  "without waiting for either": (first: Inner, second: Inner) => {
    void first();
    void second();
    return Promise.resolve();
  },
} satisfies Record<string, (first: Inner, second: Inner) => Promise<unknown>>;

/** What one run of a handler has come to. */
interface Story {
  result: ExecutionResult;
  state: string;
  /** The calls whose own work was begun. */
  begun: string[];
  /** The calls whose effects are there. */
  kept: string[];
}

/** The calls of one handler, told apart by their names: `once 1`, `transaction 2`. */
class Calls {
  readonly begun: string[] = [];

  constructor(
    private readonly scene: Scenario,
    private readonly context: HandlerContext,
  ) {}

  /** Makes a call whose effect is a row of its own, or the checkpoint. `inner` is done within its work. */
  make(call: Call, name: string, inner: Inner = async () => null): Promise<unknown> {
    const note = async (within: unknown): Promise<void> => {
      this.begun.push(name);
      await this.write(name, within as CallerTransaction);
      await inner();
    };
    const { context } = this;
    const ways: Record<Call, Inner> = {
      transaction: () => context.transaction(note),
      once: () => context.once(name, note),
      walk: () => context.walk(async (_from, within) => (await note(within), null)),
      checkpoint: () => context.checkpoint({ by: name }),
      spawn: () => context.spawn([{ task: name }]),
      snooze: () => Promise.resolve(context.snooze(1_000)),
    };
    return ways[call]();
  }

  private async write(name: string, within: CallerTransaction): Promise<void> {
    const { store, namespace } = this.scene;
    await store.create({ namespace, tasks: [this.scene.newTask({ actor: name })] }, within);
  }
}

/** Runs one attempt by a handler, and ends it as a node does. */
async function play(subject: TaskStoreSubject, handle: (calls: Calls) => Promise<unknown>): Promise<Story> {
  const scene = await Scenario.open(subject);
  const task = await scene.running({ actor: "nobody" });
  let calls: Calls | undefined;
  const executor = new HandlerExecutor({
    tasks: scene.store,
    effects: subject.effects(),
    clock: new SystemClock(),
    runTransaction: (work) => subject.transaction((within) => work(within as never)),
    spawnDrafts: async (_execution, tasks) => tasks.map((spawned) => scene.newTask({ actor: String(spawned.task) })),
  });
  executor.register({
    namespace: scene.namespace,
    type: scene.type.type,
    handle: async (_execution, context) => {
      calls = new Calls(scene, context);
      await handle(calls);
    },
  });
  const signal = new AbortController().signal;
  const startedAt = subject.now();
  const result = await executor.run({
    task,
    type: scene.type,
    startedAt,
    signal,
    foundBy: "wheel",
    committed: () => {},
  });
  await scene.store.settle([settlementOf(task, startedAt, result)]);
  const { state } = await scene.get(task.id);
  return { result, state, begun: calls!.begun, kept: await keptOf(scene, task) };
}

function settlementOf({ id, owner, fence }: ClaimedTask, startedAt: number, result: ExecutionResult): Settlement {
  const end = { id, owner, fence, startedAt };
  if (result.kind === "succeeded") return { ...end, kind: "succeeded", result: null, spawned: result.spawned };
  if (result.kind === "snoozed") return { ...end, kind: "snoozed", delayMs: result.delayMs };
  return { ...end, kind: "retry", delayMs: 0, error: "no" };
}

async function keptOf(scene: Scenario, { id }: ClaimedTask): Promise<string[]> {
  const { tasks } = await scene.store.find({ namespace: scene.namespace, limit: 50 });
  const names = tasks.map(({ createdBy }) => createdBy).filter((name) => name !== "nobody");
  const { checkpoint } = await scene.subject.effects().readReport(id);
  const { by } = JSON.parse(checkpoint?.state ?? "{}") as { by?: string };
  return [...names, ...(by === undefined ? [] : [by])].sort();
}

/** Side by side and not awaited. */
function besideCases(): ConformanceCase[] {
  return CALLS.flatMap((one) => CALLS.map((other) => [one, other] as const)).flatMap(([one, other]) =>
    Object.entries(WAYS).map(([way, both]) => ({
      name: `${one} and ${other}, ${way}: none is lost in a success`,
      async run(subject: TaskStoreSubject) {
        const names = [`${one} 1`, `${other} 2`];
        const story = await play(subject, (calls) =>
          both(
            () => calls.make(one, names[0]!),
            () => calls.make(other, names[1]!),
          ),
        );
        judge(story, [one, other], names);
      },
    })),
  );
}

/** A call in the work of another. */
function nestedCases(): ConformanceCase[] {
  const outers = CALLS.slice(0, 3);
  return outers
    .flatMap((outer) => CALLS.map((inner) => [outer, inner] as const))
    .flatMap(([outer, inner]) =>
      [true, false].map((isAwaited) => ({
        name: `${inner} within ${outer}${isAwaited ? "" : ", not awaited"}: none is lost in a success`,
        async run(subject: TaskStoreSubject) {
          const names = [`${outer} 1`, `${inner} 2`];
          const story = await play(subject, (calls) =>
            calls.make(outer, names[0]!, async () => {
              const made = calls.make(inner, names[1]!);
              return isAwaited ? made : void made;
            }),
          );
          judge(story, [outer, inner], names);
        },
      })),
    );
}

/** Three at once, as a handler does that fans out. */
const THREE: ConformanceCase = {
  name: "three transactions at once: the attempt fails, and none of them is kept",
  async run(subject) {
    const names = ["transaction 1", "transaction 2", "transaction 3"];
    const story = await play(subject, (calls) => Promise.all(names.map((name) => calls.make("transaction", name))));
    assert.deepEqual([codeOf(story.result), story.state, story.kept], ["TRANSACTION_UNDER_WAY", "scheduled", []]);
  },
};

const IN_TURN: ConformanceCase = {
  name: "calls one behind the other, with the transaction last, are all kept",
  async run(subject) {
    const order: Call[] = ["once", "checkpoint", "spawn", "once", "transaction"];
    const names = order.map((call, at) => `${call} ${at}`);
    const story = await play(subject, async (calls) => {
      for (const [at, call] of order.entries()) await calls.make(call, names[at]!);
    });
    assert.deepEqual([story.state, story.kept], ["succeeded", names.sort()]);
  },
};

function judge(story: Story, calls: readonly [Call, Call], names: readonly string[]): void {
  const expected = names.filter((name) => !name.startsWith("snooze")).sort();
  if (story.state === "succeeded") {
    assert.ok(!calls.includes("snooze"), "a task that was put off has not succeeded");
    assert.deepEqual(story.kept, lastCheckpointOf(calls, expected));
  }
  if (isRefused(calls)) assert.equal(codeOf(story.result), "TRANSACTION_UNDER_WAY");
  // What was refused has done nothing, and the transaction that was under way is rolled back.
  if (isRefused(calls)) {
    assert.ok(story.begun.length < 2, `both were begun: ${story.begun.join()}`);
    assert.deepEqual(
      story.kept.filter((name) => name.startsWith("transaction")),
      [],
    );
  }
}

/** Where there are two checkpoints, the second is the task's. */
function lastCheckpointOf([one, other]: readonly [Call, Call], names: string[]): string[] {
  return one === "checkpoint" && other === "checkpoint" ? names.slice(1) : names;
}

/** `ctx.transaction` stands alone, but for what it spawns. */
function isRefused([one, other]: readonly [Call, Call]): boolean {
  const others = [one, other].filter((call) => call !== "spawn" && call !== "snooze");
  return others.length === 2 && others.includes("transaction");
}

function codeOf(result: ExecutionResult): string {
  return result.kind === "failed" ? (result.thrown as TickwheelError).code : result.kind;
}

export const effectPairs: ConformanceCase[] = [...besideCases(), ...nestedCases(), THREE, IN_TURN];
