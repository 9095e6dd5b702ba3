import { describe, expect, test } from "@jest/globals";
import { DEFAULT_OPTIONS, type Idempotency, JsonSource, type JsonText, NO_TRACING } from "@tickwheel/core";
import { AllowedHosts } from "@tickwheel/executors";
import { AnnouncedSchemas } from "../payloads/announced-schemas.js";
import { PayloadCheck } from "../payloads/payload-check.js";
import { inputOfCall, lastingInput } from "../requests/task-request.js";
import { BatchCalls } from "./batch-calls.js";
import type { Caller, CallPorts } from "./caller.js";

const CODE: Caller = { namespace: "default", actor: "application", rights: "operator" };
const KEY: Caller = { ...CODE, actor: "key:1", reader: "1" };
const VIEWER: Caller = { ...KEY, rights: "viewer" };
const BATCH = "019ab000-0000-7000-8000-000000000000";
const OTHER = "019ab000-0000-7000-8000-000000000001";

const hashes: (string | undefined)[] = [];
const batches = {
  add: (_members: unknown, { idempotency }: { idempotency: Idempotency | null }) => {
    hashes.push(idempotency?.bodyHash);
    return { batch: {}, replayed: true, results: [] };
  },
};
const nothing = new AnnouncedSchemas(
  () => undefined,
  () => undefined,
);
const calls = new BatchCalls({
  batches,
  options: { webhookHosts: new AllowedHosts([]), scheduler: DEFAULT_OPTIONS },
  payloads: new PayloadCheck("default", nothing),
  tracing: NO_TRACING,
} as unknown as CallPorts);

/** The hash of a call that adds these members. All of them are refused, so that no answer is needed. */
async function hashOf(caller: Caller, tasks: readonly unknown[], id = BATCH): Promise<string> {
  await calls.add(caller, id, { given: { tasks }, idempotencyKey: "k" });
  return hashes.at(-1)!;
}

const byCode = (payload: unknown, fields: object) => lastingInput(inputOfCall({ ...fields }, "settle", payload));
const byRest = (payload: string, fields: object) => ({
  payload: new JsonSource(payload as JsonText),
  ...fields,
  type: "settle",
});

describe("the idempotency key of a call that adds members", () => {
  test("the idempotency key of added members takes equal tasks for one call, by code and by REST, refused tasks too", async () => {
    const bad = { delay: "soon" };
    const inCode = await hashOf(CODE, [byCode({ shop: 1, day: "é" }, bad)]);
    expect(await hashOf(KEY, [byRest('{ "day": "\\u00e9", "shop": 1.0 }', bad)])).toBe(inCode);
    expect(await hashOf(CODE, [byCode({ shop: 2, day: "é" }, bad)])).not.toBe(inCode);
    expect(await hashOf(CODE, [byCode({ shop: 1, day: "é" }, { delay: "sooner" })])).not.toBe(inCode);
  });

  test("the idempotency key of added members is of one batch, however the batch's id is written", async () => {
    const tasks = [byCode(null, { delay: "soon" })];
    const hash = await hashOf(CODE, tasks);
    expect(await hashOf(CODE, tasks, BATCH.toUpperCase())).toBe(hash);
    expect(await hashOf(CODE, tasks, OTHER)).not.toBe(hash);
  });

  test("an idempotency key is not asked for where a call that adds members gives none", async () => {
    await calls.add(CODE, BATCH, { given: { tasks: [byCode(null, { delay: "soon" })] } });
    expect(hashes.at(-1)).toBeUndefined();
  });

  test("a bad idempotency key of added members is a fault where it was given: a header over HTTP, an option in code", async () => {
    const add = (call: object) => calls.add(CODE, BATCH, { given: { tasks: [] }, idempotencyKey: "", ...call });
    await expect(add({})).rejects.toMatchObject({ faults: [{ path: "tasks" }, { path: "idempotencyKey" }] });
    await expect(add({ headers: {} })).rejects.toMatchObject({
      faults: [{ path: "tasks" }, { path: "Idempotency-Key" }],
    });
  });
});

test("each write to a batch is refused to a viewer, before the batch is looked for", async () => {
  const refused = { code: "FORBIDDEN" };
  await expect(calls.create(VIEWER, {})).rejects.toMatchObject(refused);
  await expect(calls.add(VIEWER, "no id", { given: {} })).rejects.toMatchObject(refused);
  for (const call of ["seal", "cancel"] as const)
    await expect(calls[call](VIEWER, "no id")).rejects.toMatchObject(refused);
});
