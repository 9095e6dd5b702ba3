import { describe, expect, test } from "@jest/globals";
import {
  BATCH_OPERATIONS,
  CLUSTER_OPERATIONS,
  type Operation,
  SCHEDULE_OPERATIONS,
  TASK_OPERATIONS,
} from "@tickwheel/contract/operations";
import { type ApiKey, TickwheelError } from "@tickwheel/core";
import { AnswerBudget } from "../limits/answer-budget.js";
import type { FieldArguments, FieldCall, GraphqlContext } from "./graphql-call.js";
import {
  type FieldForm,
  fieldsOf,
  inTurn,
  pageInTurn,
  type Resolver,
  type RootField,
  spending,
} from "./graphql-fields.js";

const apiKey = { id: "1", namespace: "shop", role: "admin", cluster: true } as ApiKey;
const ID = "01890a5d-ac96-774b-bcce-b302099a8057";
const ALL = {
  ...TASK_OPERATIONS.rows,
  ...SCHEDULE_OPERATIONS.rows,
  ...BATCH_OPERATIONS.rows,
  ...CLUSTER_OPERATIONS.rows,
};

/** A field of one row that does this. */
function fieldOf(id: keyof typeof ALL, resolve: Resolver, form: FieldForm<unknown> = (same) => same): RootField {
  const group = { tag: "", text: "", path: {}, rows: { one: ALL[id] as Operation } };
  return Object.values(fieldsOf(group, { one: resolve as () => Promise<unknown> }, { one: form }))[0]!;
}

const contextOf = (budget = new AnswerBudget()): GraphqlContext => ({ apiKey, session: null, budget, headers: {} });

/** What a field of a row is asked for. */
async function askedOf(id: keyof typeof ALL, given: FieldArguments): Promise<FieldCall> {
  const calls: FieldCall[] = [];
  const resolve = (call: FieldCall): Promise<object> => {
    calls.push(call);
    return Promise.resolve({ items: [], nextCursor: null });
  };
  await fieldOf(id, resolve)(given, contextOf());
  return calls[0]!;
}

describe("the arguments of a field", () => {
  test("the arguments of a GraphQL field are the values of a query, whether they stand in a filter or beside the page", async () => {
    const filter = { type: "a", state: ["scheduled", "paused"], live: true, key: null };
    expect((await askedOf("find", { filter, first: 20, after: null })).query).toMatchObject({
      type: "a",
      state: ["scheduled", "paused"],
      live: true,
      key: undefined,
      limit: 20,
      cursor: undefined,
    });
    expect((await askedOf("events", { filter: { kind: ["DEAD", "LEFT"] }, first: 50 })).query).toMatchObject({
      kind: ["DEAD", "LEFT"],
      limit: 50,
    });
    const members = await askedOf("members", { id: ID, state: ["dead"], first: 5, after: ID });
    expect([members.at, members.query, members.after]).toEqual([ID, { state: ["dead"], limit: 5, cursor: ID }, ID]);
    expect((await askedOf("schedules", { first: 50, filter: { type: "b" } })).query).toMatchObject({ limit: 50 });
    const forecast = await askedOf("forecast", { ahead: "1m" });
    expect(forecast.query).toEqual({ ahead: "1m", type: undefined });
    expect((await askedOf("get", { id: ID })).query).toBeUndefined();
  });

  test("the arguments of a GraphQL field are refused with every fault, by the names that GraphQL has", async () => {
    const given = { filter: { type: "", scheduledFrom: ["2026-11-27T08:00:00Z"] }, first: 201, after: "x" };
    const paths = async (id: keyof typeof ALL, wrong: FieldArguments): Promise<string[]> =>
      askedOf(id, wrong).then(
        () => [],
        (error: TickwheelError) => error.faults.map(({ path }) => path).toSorted(),
      );
    expect(await paths("find", given)).toEqual(["after", "first", "scheduledFrom", "type"]);
    expect(await paths("journal", { id: ID, first: 0, after: "0" })).toEqual(["after", "first"]);
    expect(await paths("previewSchedule", { name: "a", count: 0 })).toEqual(["count"]);
  });

  test("the arguments of a GraphQL field are a body, in whichever way the contract's row wants it given", async () => {
    const input = { delay: "1h" };
    const edit = await askedOf("edit", { id: ID, input, expectedVersion: 3 });
    expect([edit.at, edit.body, edit.expected]).toEqual([ID, input, 3]);
    expect((await askedOf("pauseByKey", { type: "a", key: "b" })).body).toEqual({ type: "a", key: "b" });
    const pause = await askedOf("pauseSchedule", { name: "a", reason: "x" });
    expect([pause.at, pause.body, pause.expected]).toEqual(["a", { reason: "x" }, null]);
    const bulk = await askedOf("createMany", { inputs: [input], idempotencyKey: "k" });
    expect([bulk.body, bulk.idempotencyKey]).toEqual([{ tasks: [input] }, "k"]);
    const retry = await askedOf("retryMany", { ids: [ID] });
    expect([retry.body, retry.at, retry.idempotencyKey]).toEqual([{ ids: [ID] }, "", undefined]);
  });
});

describe("the answer of a field", () => {
  test("the answer of a GraphQL field is a connection where REST has a page, with what stands beside its items", async () => {
    const page = { items: [1], nextCursor: "2", countedAt: "now" };
    const field = fieldOf("types", () => Promise.resolve(page));
    expect(await field({ first: 1 }, contextOf())).toEqual({
      nodes: [1],
      countedAt: "now",
      incomplete: false,
      pageInfo: { hasNextPage: true, endCursor: "2" },
    });
  });

  test("the answer of a GraphQL field is null where there is no such thing, if the contract's row wants it so", async () => {
    const failing = (id: keyof typeof ALL, code: "TYPE_NOT_FOUND" | "STORE_UNAVAILABLE" | "TASK_NOT_FOUND") =>
      fieldOf(id, () => Promise.reject(new TickwheelError(code, "x")))({ type: "a", id: ID }, contextOf());
    expect(await failing("type", "TYPE_NOT_FOUND")).toBeNull();
    await expect(failing("type", "STORE_UNAVAILABLE")).rejects.toMatchObject({ code: "STORE_UNAVAILABLE" });
    await expect(failing("retry", "TASK_NOT_FOUND")).rejects.toMatchObject({ code: "TASK_NOT_FOUND" });
  });

  test("the answer of a GraphQL field is made after those of the fields before it, and of the budget that they left", async () => {
    const context = contextOf(new AnswerBudget(10));
    const made: string[] = [];
    const named = (name: string): Promise<string> => {
      made.push(name);
      return Promise.resolve(name);
    };
    const task = fieldOf(
      "get",
      () => named("task"),
      spending(() => 10),
    );
    const page = fieldOf("find", () => named("page").then(() => ({ items: [], nextCursor: null })), pageInTurn);
    const bulk = fieldOf("createMany", () => named("bulk"), inTurn);
    const asked = [task({ id: ID }, context), task({ id: ID }, context), page({ first: 5, after: ID }, context)];
    const answers = await Promise.allSettled([...asked, page({ first: 5 }, context), bulk({ inputs: [] }, context)]);
    expect(answers.map((answer) => (answer.status === "fulfilled" ? answer.value : answer.reason))).toMatchObject([
      "task",
      { code: "VALIDATION_FAILED" },
      { nodes: [], pageInfo: { hasNextPage: true, endCursor: ID }, incomplete: true },
      { nodes: [], pageInfo: { hasNextPage: true, endCursor: null }, incomplete: true },
      "bulk",
    ]);
    expect(made).toEqual(["task", "bulk"]);
  });
});
