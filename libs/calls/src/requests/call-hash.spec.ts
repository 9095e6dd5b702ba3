import { expect, test } from "@jest/globals";
import { DEFAULT_OPTIONS, JsonSource, type JsonText, jsonTextOf } from "@tickwheel/core";
import { AllowedHosts, BrokerTargets } from "@tickwheel/executors";
import { checkInput, taskInput } from "@tickwheel/contract";
import { AnnouncedSchemas } from "../payloads/announced-schemas.js";
import { PayloadCheck } from "../payloads/payload-check.js";
import { ListHash } from "./body-hash.js";
import { BulkCheck, checkTask, idempotencyOf } from "./bulk-check.js";
import { inputOfCall, lastingInput } from "./task-request.js";

const deliveries = { webhookHosts: new AllowedHosts([]), brokers: new BrokerTargets({}), scheduler: DEFAULT_OPTIONS };
const nothing = new AnnouncedSchemas(
  () => undefined,
  () => undefined,
);
const caller = { namespace: "default", actor: "tester", deliveries, payloads: new PayloadCheck("default", nothing) };

/** One call in each form that it may come in: over HTTP, from code, and from code as one of many. */
function formsOf(payload: { a: number[] }, more: object = {}): unknown[] {
  const fields = { delay: "15m", idempotencyKey: "i", ...more };
  return [
    { payload: new JsonSource(` { "a" : ${JSON.stringify(payload.a)} }` as JsonText), ...fields, type: "t" },
    inputOfCall({ ...fields }, "t", payload),
    lastingInput(inputOfCall({ ...fields }, "t", payload)),
  ];
}

const hashOf = (given: unknown): string => checkTask(given, "", caller).request!.idempotency!.bodyHash;

test("equal calls are one call to an idempotency key, whichever way they come in", () => {
  const hashes = formsOf({ a: [1, 2] }).map(hashOf);
  expect(new Set(hashes).size).toBe(1);
  expect(new Set([...hashes, ...formsOf({ a: [2, 1] }).map(hashOf)]).size).toBe(2);
});

test("equal bulks are one call to an idempotency key, and one bad item among them counts as it was given", () => {
  const bulk = (items: readonly unknown[]): string => {
    const hash = new ListHash();
    const check = new BulkCheck(caller, hash);
    for (const item of items) check.next(item);
    return hash.digest();
  };
  const bad = { type: "" };
  const forms = formsOf({ a: [1] }).map((item) => bulk([item, bad]));
  expect(new Set(forms).size).toBe(1);
  expect(bulk([formsOf({ a: [1] })[0], { type: "?" }])).not.toBe(forms[0]);
});

test("a call's merge, and how long it waits, belong to the call's hash", () => {
  const hash = (more: object): string => {
    const given = {
      type: "t",
      key: "k",
      onConflict: "merge",
      payload: new JsonSource("{}" as JsonText),
      idempotencyKey: "i",
      ...more,
    };
    const { input, faults } = checkInput(taskInput, given);
    expect(faults).toEqual([]);
    return idempotencyOf("i", given, input).bodyHash;
  };
  const merge = { bytes: "add", files: "append" };
  expect(hash({ merge: { files: "append", bytes: "add" } })).toBe(hash({ merge }));
  expect(hash({ merge: new JsonSource(jsonTextOf(merge)) })).toBe(hash({ merge }));
  const hashes = [{}, { merge }, { merge: { ...merge, bytes: "max" } }, { merge, maxWait: 5 }, { merge, maxWait: 6 }];
  expect(new Set(hashes.map(hash)).size).toBe(5);
});
