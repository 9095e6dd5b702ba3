import assert from "node:assert/strict";
import { type CreateResult, type JsonText, JSON_NULL, type NewTask, type Reducers } from "@tickwheel/core";
import { accepted, type NewTaskWish, refOf, Scenario } from "../subject/scenario.js";
import type { ConformanceCase } from "../subject/subject.js";

const KEY = "collected";
const LATER_MS = 60_000;
const NINES = "9".repeat(100);

/** A merge of the case's key. @param payload the text as it is received */
function mergeOf(scene: Scenario, payload: string, given: NewTaskWish = {}): NewTask {
  const due = { delayMs: LATER_MS };
  const wish: NewTaskWish = { key: KEY, onConflict: "merge", due, reducers: { n: "add" }, ...given };
  return { ...scene.newTask(wish), payload: payload as JsonText };
}

/** A task that holds the case's key and waits. */
async function hold(scene: Scenario, payload: string): Promise<NewTask> {
  const task = { ...scene.newTask({ key: KEY, due: { delayMs: LATER_MS } }), payload: payload as JsonText };
  accepted((await scene.createAll(task))[0], "created");
  return task;
}

function told(results: readonly CreateResult[]): string[] {
  return results.map((result) =>
    result.outcome === "rejected" ? [result.code, ...(result.path ? [result.path] : [])].join(" ") : result.outcome,
  );
}

interface FoldCase {
  name: string;
  /** The payload of the task that holds the key; absent: the key is free. */
  held?: string;
  /** Default: `n` is added. */
  reducers?: Reducers;
  items: string[];
  told: string[];
  payload: string;
  version: number;
}

const merged = { told: ["merged"], version: 2 };
const x = (count: number): string => "x".repeat(count);
/** The payload cannot be taken, and stays as it is. */
const unmergeable = (name: string, held: string): FoldCase => {
  return { name, held, items: ['{"n":1}'], told: ["MERGE_CONFLICT payload"], payload: held, version: 1 };
};

const FOLDS: FoldCase[] = [
  {
    name: "the first of a free key, as it is received",
    items: ['{"n": 0.10}'],
    told: ["created"],
    payload: '{"n": 0.10}',
    version: 1,
  },
  {
    name: "two of a free key",
    items: ['{"n":1}', '{"n":2}'],
    told: ["created", "merged"],
    payload: '{"n": 3}',
    version: 2,
  },
  { ...merged, name: "0.1 + 0.2, exactly", held: '{"n":0.1}', items: ['{"n":0.2}'], payload: '{"n": 0.3}' },
  { ...merged, name: "a sum without zeros at its end", held: '{"n":1.10}', items: ['{"n":0.90}'], payload: '{"n": 2}' },
  {
    ...merged,
    name: "beyond 2^53",
    held: '{"n":9007199254740993}',
    items: ['{"n":2}'],
    payload: '{"n": 9007199254740995}',
  },
  {
    ...merged,
    name: "an absent field as nothing",
    held: '{"x":"y"}',
    items: ['{"n":5}'],
    payload: '{"n": 5, "x": "y"}',
  },
  { ...merged, name: "an absent payload of the holder", held: "null", items: ['{"n":5}'], payload: '{"n": 5}' },
  {
    ...merged,
    name: "an absent payload of a merge, which only moves the due time",
    held: '{"n":1}',
    items: ["null"],
    payload: '{"n": 1}',
  },
  {
    name: "a field of the holder of the wrong kind, beside a good merge",
    held: '{"n":"x","m":1}',
    reducers: { n: "add", m: "add" },
    items: ['{"n":1,"m":1}', '{"m":2}'],
    told: ["MERGE_CONFLICT payload.n", "merged"],
    payload: '{"m": 3, "n": "x"}',
    version: 2,
  },
  {
    name: "a null field of the holder, which is of the wrong kind",
    held: '{"n":null}',
    items: ['{"n":1}', '{"n":2}'],
    told: ["MERGE_CONFLICT payload.n", "MERGE_CONFLICT payload.n"],
    payload: '{"n":null}',
    version: 1,
  },
  {
    ...merged,
    name: "lists",
    held: '{"f":["a"]}',
    reducers: { f: "append" },
    items: ['{"f":["b","c"]}', '{"f":[["d"]]}', '{"f":[]}'],
    told: ["merged", "merged", "merged"],
    payload: '{"f": ["a", "b", "c", ["d"]]}',
  },
  {
    ...merged,
    name: "an empty list to none",
    held: "{}",
    reducers: { f: "append" },
    items: ['{"f":[]}'],
    payload: '{"f": []}',
  },
  {
    ...merged,
    name: "the greatest and the smallest",
    held: '{"a":5,"b":5}',
    reducers: { a: "max", b: "min" },
    items: ['{"a":3,"b":7}', '{"a":9.50,"b":1}', '{"a":4}'],
    told: ["merged", "merged", "merged"],
    payload: '{"a": 9.5, "b": 1}',
  },
  {
    ...merged,
    name: "the last of fields that are replaced, as a whole",
    held: '{"a":{"x":1,"y":2},"z":1}',
    reducers: {},
    items: ['{"a":{"q":1}}', '{"a":{"r":2}}'],
    told: ["merged", "merged"],
    payload: '{"a": {"r": 2}, "z": 1}',
  },
  {
    ...merged,
    name: "the last of two fields of one name",
    held: '{"n":1,"n":5}',
    items: ['{"n":1,"n":2}'],
    payload: '{"n": 7}',
  },
  unmergeable("into a text with a NUL", String.raw`{"s":"a\u0000b","n":1}`),
  {
    ...merged,
    name: "into a text with a backslash before u0000",
    held: String.raw`{"s":"a\\u0000b","n":1}`,
    items: ['{"n":1}'],
    payload: String.raw`{"n": 2, "s": "a\\u0000b"}`,
  },
  unmergeable("into a text with half of a surrogate pair", String.raw`{"s":"\ud800","n":1}`),
  {
    ...merged,
    name: "into a text with a surrogate pair",
    held: String.raw`{"s":"\ud83d\ude00","n":1}`,
    items: ['{"n":1}'],
    payload: '{"n": 2, "s": "😀"}',
  },
  unmergeable("into a text with a reversed surrogate pair", String.raw`{"s":"\ude00\ud83d","n":1}`),
  unmergeable("into a number that no database holds", '{"s":1e400000,"n":1}'),
  {
    ...merged,
    name: "into a text that looks like one",
    held: '{"s":"1e400000","n":1}',
    items: ['{"n":1}'],
    payload: '{"n": 2, "s": "1e400000"}',
  },
  {
    ...merged,
    name: "into a text of 300 digits",
    held: `{"s":"${"9".repeat(300)}","n":1}`,
    items: ['{"n":1}'],
    payload: `{"n": 2, "s": "${"9".repeat(300)}"}`,
  },
  unmergeable("into a number of 300 digits", `{"s":${"9".repeat(300)},"n":1}`),
  {
    ...merged,
    name: "into a text with quotes and backslashes",
    held: String.raw`{"s":"a\\","t":"\"1e999\"","n":1}`,
    items: ['{"n":1}'],
    payload: String.raw`{"n": 2, "s": "a\\", "t": "\"1e999\""}`,
  },
  unmergeable("into a list", "[1]"),
  unmergeable("into a number", "5"),
  {
    name: "a sum of more than 100 digits",
    held: `{"n":${NINES}}`,
    items: ['{"n":1}'],
    told: ["MERGE_CONFLICT payload.n"],
    payload: `{"n":${NINES}}`,
    version: 1,
  },
  {
    ...merged,
    name: "summands that have 100 digits only on the way",
    held: `{"n":${NINES}}`,
    items: ['{"n":-1}', '{"n":2}', '{"n":-5}'],
    told: ["merged", "merged", "merged"],
    payload: `{"n": ${BigInt(NINES) - 4n}}`,
  },
  {
    name: "more than a payload may have",
    held: `{"s":["${x(65_000)}"]}`,
    reducers: { s: "append" },
    items: [`{"s":["${x(600)}"]}`],
    told: ["PAYLOAD_TOO_LARGE"],
    payload: `{"s":["${x(65_000)}"]}`,
    version: 1,
  },
  {
    name: "of several what fits",
    held: `{"s":["${x(65_000)}"]}`,
    reducers: { s: "append" },
    items: [`{"s":["${x(600)}"]}`, '{"s":["a"]}'],
    told: ["PAYLOAD_TOO_LARGE", "merged"],
    payload: `{"s": ["${x(65_000)}", "a"]}`,
    version: 2,
  },
  {
    ...merged,
    name: "exactly as much as a payload may have",
    held: `{"s": "${x(65_536 - 17)}"}`,
    items: ['{"n":1}'],
    payload: `{"n": 1, "s": "${x(65_536 - 17)}"}`,
  },
  {
    name: "a byte more",
    held: `{"s": "${x(65_536 - 16)}"}`,
    items: ['{"n":1}'],
    told: ["PAYLOAD_TOO_LARGE"],
    payload: `{"s": "${x(65_536 - 16)}"}`,
    version: 1,
  },
  { ...merged, name: "negative zeros", held: '{"n":-0}', items: ['{"n":-0.0}'], payload: '{"n": 0}' },
  { ...merged, name: "numbers with exponents", held: '{"n":1e2}', items: ['{"n":1.5e-3}'], payload: '{"n": 100.0015}' },
  {
    ...merged,
    name: "fields with the names of an object's own",
    held: '{"__proto__":1,"":2}',
    reducers: { "": "add" },
    items: ['{"":1}'],
    payload: '{"": 3, "__proto__": 1}',
  },
  {
    ...merged,
    name: "into fields in the order of their lengths, then of their bytes",
    held: '{"bb":1,"a":1,"é":1,"zz":1,"ab":1}',
    items: ['{"n":1}'],
    payload: '{"a": 1, "n": 1, "ab": 1, "bb": 1, "zz": 1, "é": 1}',
  },
];

const foldCases: ConformanceCase[] = FOLDS.map((fold) => ({
  name: `a merge folds ${fold.name}`,
  async run(subject) {
    const scene = await Scenario.open(subject);
    const { held, reducers = { n: "add" } } = fold;
    if (held !== undefined) await hold(scene, held);
    const items = fold.items.map((item) => mergeOf(scene, item, { reducers }));
    const results = await scene.createAll(...items);
    assert.deepEqual(told(results), fold.told);
    const holder = await scene.holder(KEY);
    assert.deepEqual([holder?.payload, holder?.version], [fold.payload, fold.version]);
    for (const result of results)
      if ("task" in result) assert.deepEqual({ ...result.task }, { ...holder });
      else assert.equal(result.existingId, holder?.id);
  },
}));

/** Steps of a task that is put off: when a merge comes, what it asks for, and when the task is due after it. */
interface PuttingOff {
  name: string;
  steps: { atMs: number; delayMs: number; maxWaitMs?: number; dueMs: number }[];
}

const PUT_OFF: PuttingOff[] = [
  {
    name: "is due at the latest maxWait after its creation",
    steps: [
      { atMs: 0, delayMs: 5_000, maxWaitMs: 12_000, dueMs: 5_000 },
      { atMs: 4_000, delayMs: 5_000, maxWaitMs: 12_000, dueMs: 9_000 },
      { atMs: 8_000, delayMs: 5_000, maxWaitMs: 12_000, dueMs: 12_000 },
      { atMs: 9_000, delayMs: 1_000, dueMs: 10_000 },
    ],
  },
  {
    name: "obeys the strictest of all callers, whoever comes first",
    steps: [
      { atMs: 0, delayMs: 5_000, maxWaitMs: 12_000, dueMs: 5_000 },
      { atMs: 4_000, delayMs: 50_000, maxWaitMs: 10_000, dueMs: 10_000 },
      { atMs: 5_000, delayMs: 50_000, maxWaitMs: 99_000, dueMs: 10_000 },
      { atMs: 6_000, delayMs: 50_000, dueMs: 10_000 },
    ],
  },
  { name: "is capped from its creation on", steps: [{ atMs: 0, delayMs: 50_000, maxWaitMs: 3_000, dueMs: 3_000 }] },
  {
    name: "is due now if its cap has passed when it is given",
    steps: [
      { atMs: 0, delayMs: 50_000, dueMs: 50_000 },
      { atMs: 20_000, delayMs: 50_000, maxWaitMs: 10_000, dueMs: 20_000 },
    ],
  },
  {
    name: "stays due once it is due",
    steps: [
      { atMs: 0, delayMs: 1_000, dueMs: 1_000 },
      { atMs: 1_000, delayMs: 5_000, dueMs: 1_000 },
      { atMs: 9_000, delayMs: 5_000, maxWaitMs: 1, dueMs: 1_000 },
    ],
  },
  {
    name: "is due now as soon as one caller asks for it",
    steps: [
      { atMs: 0, delayMs: 5_000, dueMs: 5_000 },
      { atMs: 1_000, delayMs: 0, dueMs: 1_000 },
      { atMs: 1_000, delayMs: 9_000, dueMs: 1_000 },
    ],
  },
];

const POLICIES = ["refresh", "merge"] as const;

const dueCases: ConformanceCase[] = POLICIES.flatMap((onConflict) =>
  PUT_OFF.map(({ name, steps }): ConformanceCase => ({
    name: `a task that is put off by ${onConflict} ${name}`,
    async run(subject) {
      const scene = await Scenario.open(subject);
      const begun = scene.now();
      for (const { atMs, delayMs, maxWaitMs, dueMs } of steps) {
        await scene.advance(begun + atMs - scene.now());
        const wish = { key: KEY, onConflict, due: { delayMs }, ...(maxWaitMs !== undefined && { maxWaitMs }) };
        const [result] = await scene.createAll(scene.newTask({ ...wish, payload: {} }));
        assert.ok(result && "task" in result);
        const holder = await scene.holder(KEY);
        assert.deepEqual({ ...result.task }, { ...holder });
        assert.deepEqual([holder!.dueAt - begun, holder!.scheduledAt - begun], [dueMs, dueMs]);
      }
    },
  })),
);

const foldedDueCases: ConformanceCase[] = POLICIES.map((onConflict) => ({
  name: `several of ${onConflict} in one request are due as they would be one by one`,
  async run(subject) {
    const scene = await Scenario.open(subject);
    const { id, createdAt } = await scene.create({ key: KEY, due: { delayMs: 30_000 }, payload: {} });
    const ask = async (...delaysMs: number[]): Promise<number> => {
      const wish = { key: KEY, onConflict, payload: {} };
      await scene.createAll(
        ...delaysMs.map((delayMs) => scene.newTask({ ...wish, due: { delayMs }, maxWaitMs: 90_000 })),
      );
      return (await scene.get(id)).dueAt - createdAt;
    };
    assert.equal(await ask(9_000, 3_000, 60_000), 60_000);
    assert.equal(await ask(9_000, 200_000), 90_000);
    assert.equal(await ask(9_000, 0, 9_000), 0);
    assert.equal((await scene.get(id)).waitUntil, createdAt + 90_000);
  },
}));

const cycleCases: ConformanceCase[] = POLICIES.flatMap((onConflict): ConformanceCase[] => {
  const wish = { key: KEY, onConflict, due: { delayMs: LATER_MS }, payload: { n: 1 } };
  const ask = async (scene: Scenario) => (await scene.createAll(scene.newTask(wish)))[0]!;
  const assertContinued = async (scene: Scenario, old: string): Promise<void> => {
    const next = accepted(await ask(scene), "created");
    assert.deepEqual([next.continues, next.continuedBy, next.version], [old, null, 1]);
    assert.deepEqual({ ...next }, { ...(await scene.get(next.id)) });
    const before = await scene.get(old);
    assert.deepEqual([before.keyLive, before.continuedBy, before.continues], [false, next.id, null]);
    assert.equal((await scene.holder(KEY))?.id, next.id);
  };
  return [
    {
      name: `a ${onConflict} of a running task begins the next cycle, and the two name each other`,
      async run(subject) {
        const scene = await Scenario.open(subject);
        const execution = await scene.running({ key: KEY });
        const before = await scene.get(execution.id);
        await assertContinued(scene, execution.id);
        assert.equal((await scene.get(execution.id)).version, before.version);
        await scene.succeed(execution);
        const ended = await scene.get(execution.id);
        assert.deepEqual([ended.state, ended.continuedBy], ["succeeded", (await scene.holder(KEY))?.id]);
      },
    },
    {
      name: `a ${onConflict} of a task that awaits its retry begins the next cycle and leaves the retry where it is`,
      async run(subject) {
        const scene = await Scenario.open(subject);
        const execution = await scene.running({ key: KEY, payload: { n: 7 } });
        await scene.fail(execution, 5_000);
        const { dueAt, payload } = await scene.get(execution.id);
        await assertContinued(scene, execution.id);
        const old = await scene.get(execution.id);
        assert.deepEqual([old.state, old.dueAt, old.payload], ["scheduled", dueAt, payload]);
      },
    },
    {
      name: `a ${onConflict} of a task that is to stop begins the next cycle`,
      async run(subject) {
        const scene = await Scenario.open(subject);
        const execution = await scene.running({ key: KEY });
        await scene.cancel(execution.id);
        await assertContinued(scene, execution.id);
        assert.equal(await scene.fail(execution), "cancelled");
      },
    },
    {
      name: `a ${onConflict} of a task that was claimed and given back unstarted changes that task`,
      async run(subject) {
        const scene = await Scenario.open(subject);
        const execution = await scene.running({ key: KEY, payload: {} });
        await scene.store.release([{ ...refOf(execution), reason: "DRAIN" }]);
        const task = accepted(await ask(scene), onConflict === "merge" ? "merged" : "refreshed");
        assert.deepEqual([task.id, task.continuedBy], [execution.id, null]);
      },
    },
    {
      name: `a ${onConflict} of a key whose task has ended is a new task that continues none`,
      async run(subject) {
        const scene = await Scenario.open(subject);
        await scene.succeed(await scene.running({ key: KEY }));
        assert.equal(accepted(await ask(scene), "created").continues, null);
      },
    },
  ];
});

const otherCases: ConformanceCase[] = [
  {
    name: "a next cycle takes all merges of its request",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const execution = await scene.running({ key: KEY, payload: { n: 7 } });
      const items = ['{"n":10}', '{"n":20}', '{"n":30}'].map((item) => mergeOf(scene, item, { maxWaitMs: 1_000 }));
      const results = await scene.createAll(...items);
      assert.deepEqual(told(results), ["created", "merged", "merged"]);
      const next = await scene.holder(KEY);
      assert.deepEqual([next?.payload, next?.continues, next?.dueAt], ['{"n": 60}', execution.id, scene.now() + 1_000]);
      for (const result of results) assert.ok("task" in result && result.task.id === next?.id);
    },
  },
  {
    name: "a merge journals how many it stands for and who came last, the first and the last of many",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const { id } = await hold(scene, '{"n":0}');
      for (let round = 0; round < 6; round++) {
        const items = [1, 2, 3].map((n) => mergeOf(scene, `{"n":${n}}`, { actor: `a${round}.${n}` }));
        await scene.createAll(...items, mergeOf(scene, '{"n":"no number"}'));
      }
      const journal = (await scene.journal(id)).map(({ reason, actor, count }) => [reason, actor, count]);
      assert.deepEqual(journal, [
        [null, "creator", 1],
        ["MERGED", "a0.3", 3],
        ["MERGED", "a5.3", 15],
      ]);
      const { payload, version } = await scene.get(id);
      assert.deepEqual([payload, version], ['{"n": 36}', 7]);
    },
  },
  {
    name: "a merge takes the start deadline along",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const { id } = await scene.create({ key: KEY, due: { delayMs: 10 }, startDeadlineMs: 100, payload: {} });
      await scene.createAll(mergeOf(scene, "{}", { due: { delayMs: 30 } }));
      assert.equal((await scene.get(id)).startDeadlineAt, scene.now() + 130);
    },
  },
  {
    name: "of several keys in one request each merge is answered for itself, the faulty ones too",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const bad = { ...scene.newTask({ key: "bad", due: { delayMs: LATER_MS } }), payload: "[]" as JsonText };
      await scene.createAll(bad);
      const keys = ["a", "bad", "b", "a", "bad", "b", "c"];
      const results = await scene.createAll(...keys.map((key) => mergeOf(scene, '{"n":1}', { key })));
      const conflict = "MERGE_CONFLICT payload";
      assert.deepEqual(told(results), ["created", conflict, "created", "merged", conflict, "merged", "created"]);
      const sums = await Promise.all(["a", "b", "c"].map(async (key) => (await scene.holder(key))?.payload));
      assert.deepEqual(sums, ['{"n": 2}', '{"n": 2}', '{"n":1}']);
    },
  },
  {
    name: "ten thousand merges of one key in one request are one sum",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const items = Array.from({ length: 10_000 }, () => mergeOf(scene, '{"n":0.1}'));
      const results = await scene.createAll(...items);
      assert.deepEqual(new Set(told(results.slice(1))), new Set(["merged"]));
      const holder = await scene.holder(KEY);
      assert.deepEqual([holder?.payload, holder?.version], ['{"n": 1000}', 11]);
    },
  },
  {
    name: "a repeated merge under an idempotency key adds nothing and answers the same, faults included",
    async run(subject) {
      const scene = await Scenario.open(subject);
      await hold(scene, '{"n":1,"m":"x"}');
      const reducers: Reducers = { n: "add", m: "add" };
      const tasks = ['{"n":1}', '{"m":1}'].map((item) => mergeOf(scene, item, { reducers }));
      const request = { namespace: scene.namespace, tasks, idempotency: { key: "i", bodyHash: "aa" } };
      const first = await scene.store.create(request);
      const again = await scene.store.create(request);
      assert.ok(first.kind === "written" && again.kind === "replayed");
      assert.deepEqual(told(first.results), ["merged", "MERGE_CONFLICT payload.m"]);
      assert.deepEqual(again.results, first.results);
      assert.equal((await scene.holder(KEY))?.payload, '{"m": "x", "n": 2}');
    },
  },
  {
    name: "a lone faulty merge gives its idempotency key back",
    async run(subject) {
      const scene = await Scenario.open(subject);
      await hold(scene, '{"n":"x"}');
      const requestOf = (payload: string) => ({
        namespace: scene.namespace,
        tasks: [mergeOf(scene, payload)],
        idempotency: { key: "i", bodyHash: payload },
      });
      await scene.store.create(requestOf('{"n":1}'));
      assert.equal((await scene.store.create(requestOf('{"m":1}'))).kind, "written");
    },
  },
  {
    name: "a task that is taken out answers its final payload, and no execution sees it",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const { id } = await hold(scene, '{"n":1}');
      await scene.createAll(mergeOf(scene, '{"n":2}'));
      const reply = await scene.cancel(id);
      assert.ok(reply.outcome === "cancelled");
      assert.deepEqual([reply.task.payload, reply.task.state], ['{"n": 3}', "cancelled"]);
      await scene.advance(2 * LATER_MS);
      assert.deepEqual(await scene.claim([id]), []);
      const [next] = await scene.createAll(mergeOf(scene, '{"n":5}'));
      assert.equal(accepted(next, "created").payload, '{"n":5}');
    },
  },
  {
    name: "a person's retry makes a task that has started take merges again",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const execution = await scene.running({ key: KEY, payload: { n: 1 } });
      await scene.bury(execution);
      await scene.retry(execution.id);
      const [result] = await scene.createAll(mergeOf(scene, '{"n":1}'));
      const task = accepted(result, "merged");
      assert.deepEqual([task.id, task.payload, task.dueAt], [execution.id, '{"n": 2}', scene.now()]);
    },
  },
  {
    name: "a merge of an absent payload into an absent one makes an empty object",
    async run(subject) {
      const scene = await Scenario.open(subject);
      await scene.createAll(mergeOf(scene, JSON_NULL), mergeOf(scene, JSON_NULL));
      assert.equal((await scene.holder(KEY))?.payload, "{}");
    },
  },
];

/** Merges, and the rules that refreshes have in common with them. */
export const mergeCases: ConformanceCase[] = [
  ...foldCases,
  ...dueCases,
  ...foldedDueCases,
  ...cycleCases,
  ...otherCases,
];
