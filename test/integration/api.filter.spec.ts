import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "@jest/globals";
import { FIELDS, fingerprintOf, namesOf, printOf } from "@tickwheel/core";
import {
  type DelayTask,
  DelayTaskHandler,
  type DelayTaskService,
  taskFilter,
  type TaskFilterInput,
} from "@tickwheel/nestjs";
import type { ApiClient, Problem, TaskBody } from "../support/api-client.js";
import { hostTasks } from "../support/app/task-application.js";
import { eventually } from "../support/eventually.js";
import { startForSpec } from "../support/start-for-spec.js";

const HOSTILE = String.raw`'; DROP TABLE tickwheel.task; -- %_\" $1 {a:b}`;
const FIND = `query ($filter: TaskFilter) { tasks(filter: $filter, first: 200) { nodes { id } } }`;

/** The fingerprint of the dead task's error: wherever this file lies, it comes from this handler. */
const FINGERPRINT = fingerprintOf(
  printOf(`Error: HttpError 503: ${HOSTILE}\n    at Handlers.send (/app/handlers.js:1:2)`).print,
);

class Handlers {
  @DelayTaskHandler("mail.send", { maxAttempts: 1 })
  send(task: DelayTask): void {
    if (task.payload === "fail") throw new Error(`HttpError 503: ${HOSTILE}`);
  }
}

let tasks: DelayTaskService;
let api: ApiClient;
/** Ids of the tasks by the names that the cases call them by. */
const ids: Record<string, string> = {};

startForSpec(
  () => hostTasks(Handlers),
  (its) => ({ tasks, api } = its),
);

beforeAll(async () => {
  const later = { delay: "1h" } as const;
  const create = async (name: string, ...call: Parameters<DelayTaskService["schedule"]>): Promise<void> => {
    ids[name] = (await tasks.schedule(...call)).task.id;
  };
  await create("done", "mail.send", "well");
  await create("dead", "mail.send", "fail", { tags: ["vip", HOSTILE] });
  await create("keyed", "mail.later", null, { ...later, key: "order-1", tags: ["vip"] });
  await create("hostile", "sms", null, { delay: "3h", key: HOSTILE, priority: 9 });
  await create("cancelled", "sms", null, { ...later, tags: ["a,b", "c"] });
  await create("paused", "sms.later", null, { ...later, priority: 0 });
  await tasks.cancel(ids["cancelled"]!);
  await tasks.pause(ids["paused"]!);
  await eventually(async () => {
    expect((await tasks.get(ids["done"]!))?.state).toBe("succeeded");
    expect((await tasks.get(ids["dead"]!))?.state).toBe("dead");
  });
});

const named = (found: readonly { id: string }[]): string[] =>
  found.map(({ id }) => Object.keys(ids).find((name) => ids[name] === id) ?? id).sort();

async function overRest(query: URLSearchParams): Promise<string[]> {
  const { status, body } = await api.get<{ items: TaskBody[] } & Problem>(`/v1/tasks?limit=200&${query.toString()}`);
  expect([status, body.errors]).toEqual([200, undefined]);
  return named(body.items);
}

async function inGraphql(filter: object): Promise<string[]> {
  const { data, errors } = await api.graphql<{ tasks: { nodes: TaskBody[] } }>(FIND, { filter });
  expect(errors).toBeUndefined();
  return named(data.tasks.nodes);
}

/** The parameters that say what a filter says: lists by commas, tags one by one. */
function parametersOf({ not = {}, ...filter }: Record<string, unknown>): URLSearchParams {
  const negated = Object.entries(not as object).map(([name, value]): [string, unknown] => [`not.${name}`, value]);
  const parameters = new URLSearchParams();
  for (const [name, value] of [...Object.entries(filter), ...negated]) {
    const values = [value].flat().map(String);
    for (const one of name.endsWith("tag") ? values : [values.join(",")]) parameters.append(name, one);
  }
  return parameters;
}

const WAITING = ["hostile", "keyed", "paused"];
const CASES: [filter: TaskFilterInput & { state?: string | readonly string[] }, line: string, names: string[]][] = [
  [{}, "", ["cancelled", "dead", "done", ...WAITING]],
  [{ type: ["mail.*"] }, "type:mail.*", ["dead", "done", "keyed"]],
  [{ type: ["mail.send", "sms"] }, "type:mail.send,sms", ["cancelled", "dead", "done", "hostile"]],
  [{ not: { type: ["mail.*", "sms"] } }, "-type:mail.*,sms", ["paused"]],
  [{ state: ["waiting"] }, "state:waiting", WAITING],
  [{ state: ["ended", "paused"] }, "state:ended,paused", ["cancelled", "dead", "done", "paused"]],
  [{ state: ["overdue", "failing"] }, "state:overdue,failing", []],
  [{ key: "order-1" }, "key:order-1", ["keyed"]],
  [{ key: HOSTILE }, `key:${quoted(HOSTILE)}`, ["hostile"]],
  [{ type: ["mail.later"], keyPrefix: "order-" }, "type:mail.later key:order-*", ["keyed"]],
  [{ live: false }, "live:false", ["cancelled", "dead", "done"]],
  [{ tag: ["vip"] }, "tag:vip", ["dead", "keyed"]],
  [{ tag: [HOSTILE, "vip"] }, `tag:vip tag:${quoted(HOSTILE)}`, ["dead"]],
  [{ tag: ["a,b"] }, 'tag:"a,b"', ["cancelled"]],
  [{ not: { tag: ["c", "vip"] } }, "-tag:c,vip", ["done", "hostile", "paused"]],
  [{ createdFrom: "1h", dueTo: "2h", state: ["scheduled"] }, "created:<1h due:<2h state:scheduled", ["keyed"]],
  [{ scheduledFrom: "2h" }, "scheduled:>2h", ["hostile"]],
  [{ startedFrom: "1h", finishedFrom: "2020-01-01" }, "started:<1h finished:>2020-01-01", ["dead", "done"]],
  [{ priorityFrom: 6 }, "priority:>5", ["hostile"]],
  [{ priorityFrom: 0, priorityTo: 0 }, "priority:0", ["paused"]],
  [{ attemptFrom: 1 }, "attempt:1..", ["dead", "done"]],
  [{ error: "httperror 503" }, 'error:"httperror 503"', ["dead"]],
  [{ error: HOSTILE }, `error:${quoted(HOSTILE)}`, ["dead"]],
  [{ error: "%" }, "error:%", ["dead"]],
  [{ error: "50%" }, "error:50%", []],
  [{ not: { error: "httperror" }, type: ["mail.send"] }, "-error:httperror type:mail.send", ["done"]],
  [{ schedule: "nightly" }, "schedule:nightly", []],
  [{ fingerprint: [FINGERPRINT] }, `print:${FINGERPRINT}`, ["dead"]],
  [
    { fingerprint: ["0123456789ab", FINGERPRINT], state: ["dead"] },
    `print:0123456789ab,${FINGERPRINT} state:dead`,
    ["dead"],
  ],
  [{ fingerprint: ["0123456789ab"] }, "print:0123456789ab", []],
  [{ reason: ["REQUESTED", "ATTEMPTS"] }, "reason:REQUESTED,ATTEMPTS", ["cancelled", "dead"]],
  [{ not: { reason: ["ATTEMPTS"] }, live: false }, "-reason:ATTEMPTS live:false", ["cancelled", "done"]],
  [{ node: HOSTILE }, `node:${quoted(HOSTILE)}`, []],
  [{ createdBy: ["key:nobody", HOSTILE] }, `by:"key:nobody",${quoted(HOSTILE)}`, []],
];

/** As a line has it. */
function quoted(text: string): string {
  return `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
}

describe("one filter", () => {
  test.each(CASES)(
    "the filter %j finds the same in code, over REST and in GraphQL, and so does its line",
    async (...one) => {
      const [filter, line, names] = one;
      const wanted = names.toSorted();
      expect(named((await tasks.find(filter)).items)).toEqual(wanted);
      expect(named((await tasks.find(taskFilter(line))).items)).toEqual(wanted);
      expect(await overRest(parametersOf({ ...filter }))).toEqual(wanted);
      expect(await overRest(new URLSearchParams({ q: line }))).toEqual(wanted);
      expect(await inGraphql(filter)).toEqual(wanted);
      expect(await inGraphql({ q: line })).toEqual(wanted);
    },
  );

  test("a filter finds tasks by their ids, by their node and by who created them", async () => {
    const { items } = (await tasks.journal(ids["dead"]!))!;
    const node = items.findLast((entry) => entry.node !== null)!.node!;
    const createdBy = "application";
    const two = [ids["dead"]!, ids["keyed"]!.toUpperCase()];
    for (const found of [
      named((await tasks.find({ id: two })).items),
      await overRest(parametersOf({ id: two })),
      await inGraphql({ q: `id:${two.join(",")}` }),
    ])
      expect(found).toEqual(["dead", "keyed"]);
    expect(await overRest(new URLSearchParams({ q: ids["keyed"]! }))).toEqual(["keyed"]);
    expect(await overRest(parametersOf({ node }))).toEqual(["dead", "done"]);
    expect(await inGraphql({ not: { node }, live: false })).toEqual(["cancelled"]);
    expect(await inGraphql({ createdBy: [createdBy] })).toEqual(Object.keys(ids).sort());
    expect(await overRest(parametersOf({ not: { createdBy } }))).toEqual([]);
  });

  test("each task that has an error tells the fingerprint by which a filter finds it", async () => {
    const code = (await tasks.find({})).items.map(({ id, fingerprint }) => ({ id, fingerprint }));
    const rest = (await api.get<{ items: TaskBody[] }>("/v1/tasks?limit=200")).body.items;
    const query = "{ tasks(first: 200) { nodes { id fingerprint } } }";
    const { data } = await api.graphql<{ tasks: { nodes: TaskBody[] } }>(query);
    for (const items of [code, rest, data.tasks.nodes]) {
      const told = items.filter(({ fingerprint }) => fingerprint !== null);
      expect(told.map(({ id, fingerprint }) => [id, fingerprint])).toEqual([[ids["dead"], FINGERPRINT]]);
    }
    const { body } = await api.get<TaskBody>(`/v1/tasks/${ids["dead"]}`);
    expect(body.fingerprint).toBe(FINGERPRINT);
    expect((await tasks.get(ids["done"]!))!.fingerprint).toBeNull();
  });

  test("a filter finds the members of a batch", async () => {
    const batch = await tasks.batches.create({ tasks: [{ task: "sms", payload: null, delay: "1h" }] });
    const [member] = (await tasks.find({ batch: batch.id })).items;
    ids["member"] = member!.id;
    expect(await overRest(new URLSearchParams({ batch: batch.id }))).toEqual(["member"]);
    expect(await inGraphql({ batch: batch.id.toUpperCase() })).toEqual(["member"]);
    expect(await inGraphql({ q: `batch:${batch.id}` })).toEqual(["member"]);
    delete ids["member"];
    await tasks.cancel(member!.id);
  });

  test.each([
    [{ type: "sms" }, "state:waiting priority:9", ["hostile"]],
    [{ type: "sms" }, "type:sms.later", []],
    [{ type: "mail.*" }, "type:mail.send,sms", ["dead", "done"]],
    [{ tag: "vip" }, `tag:${quoted(HOSTILE)}`, ["dead"]],
    [{ state: "ended" }, "state:waiting,dead type:mail.send", ["dead"]],
    [{ not: { tag: "c" }, live: "false" }, "-tag:vip type:mail.send", ["done"]],
    [{ tab: "dead" }, "tag:vip", ["dead"]],
  ])("the filter %j beside the line %s: both must hold", async (fields, q, names) => {
    expect(await overRest(parametersOf({ ...fields, q }))).toEqual(names);
    const { live, ...others } = fields as { live?: string };
    expect(await inGraphql({ ...others, ...(live && { live: live === "true" }), q })).toEqual(names);
  });

  test("a filter is refused with all of its faults, each by its name or by its place in the line", async () => {
    const query = parametersOf({
      state: "deed",
      type: "a,,b",
      live: "maybe",
      priorityTo: 10,
      limit: 0,
      q: 'typ:a key:"x',
      createdFrom: "soon",
      not: { reason: "TIRED" },
      colour: "red",
      fingerprint: FINGERPRINT.toUpperCase(),
    });
    const { status, body } = await api.get<Problem>(`/v1/tasks?${query.toString()}`);
    expect([status, body.code]).toEqual([400, "VALIDATION_FAILED"]);
    const faults = Object.fromEntries(body.errors.map(({ path, message }) => [path, message]));
    expect(Object.keys(faults).toSorted()).toEqual(
      [
        "colour",
        "createdFrom",
        "fingerprint",
        "limit",
        "live",
        "not.reason",
        "priorityTo",
        "q[0..5]",
        "q[6..12]",
        "state",
        "type[1]",
      ].toSorted(),
    );
    expect([faults["state"], faults["q[0..5]"]]).toEqual([
      expect.stringMatching(/did you mean "dead"\?$/),
      'is not a field of a filter; did you mean "type"?',
    ]);
    const filter = { type: [""], tag: ["a\0"], not: { error: "" }, q: "state:deed" };
    const { errors } = await api.graphql(FIND, { filter });
    const [refusal] = errors as unknown as { extensions: { code: string; errors: { path: string }[] } }[];
    expect(refusal!.extensions.code).toBe("VALIDATION_FAILED");
    expect(refusal!.extensions.errors.map(({ path }) => path).toSorted()).toEqual([
      "not.error",
      "q[0..10]",
      "tag",
      "type",
    ]);
  });

  test("a filter is refused at the call where a range ends before it begins by then", async () => {
    const mixed = { createdFrom: "1h", createdTo: "2020-01-01" };
    await expect(tasks.find(mixed)).rejects.toMatchObject({ faults: [{ path: "createdTo" }] });
    const { status, body } = await api.get<Problem>(`/v1/tasks?${parametersOf(mixed).toString()}`);
    expect([status, body.errors.map(({ path }) => path)]).toEqual([400, ["createdTo"]]);
    const line = await api.get<Problem>("/v1/tasks?q=created:1h..2020-01-01");
    expect([line.status, line.body.errors.map(({ path }) => path)]).toEqual([400, ["q[0..22]"]]);
  });

  test("a filter is written in the guide as it can be sent", async () => {
    const guide = readFileSync(join(import.meta.dirname, "../../docs/guides/find-tasks.md"), "utf8");
    const blocks = [...guide.matchAll(/^```(\w+)\n([^]*?)^```/gm)].map(([, kind, text]) => ({ kind, text: text! }));
    const textOf = (kind: string): string => blocks.find((block) => block.kind === kind)!.text;
    expect(named((await tasks.find(taskFilter(textOf("text")))).items)).toEqual([]);
    expect(taskFilter(/taskFilter\("(.*)"\)/.exec(textOf("ts"))![1]!)).toEqual(taskFilter(textOf("text")));
    for (const [address, query] of textOf("bash").matchAll(/(?:localhost:3000\/v1\/tasks\?|"q=)([^"]*)"/g))
      expect(await overRest(new URLSearchParams(address.startsWith('"') ? { q: query! } : query))).toEqual([]);
    expect(await api.graphql(textOf("graphql"))).toEqual({ data: { tasks: { nodes: [] } } });
    expect(blocks.map(({ kind }) => kind)).toEqual(["text", "bash", "graphql", "ts"]);
  });

  test("a filter has no field that no case of these tests is about", () => {
    const said = JSON.stringify(CASES);
    const elsewhere = ["id", "batch", "states", "operation", "outcome"];
    const missing = FIELDS.filter(([name]) => !namesOf(name).some((one) => said.includes(`"${one}":`)));
    expect(missing.map(([name]) => name).filter((name) => !elsewhere.includes(name))).toEqual([]);
  });
});
