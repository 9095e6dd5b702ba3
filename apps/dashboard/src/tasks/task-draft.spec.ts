import { describe, expect, test } from "@jest/globals";
import { draftLike, inputOf, newDraft, newIdempotencyKey, type TaskDraft } from "./task-draft.js";

const draft = (fields: Partial<TaskDraft> = {}): TaskDraft => ({
  ...newDraft(),
  type: "order.cancel",
  idempotencyKey: "abc",
  ...fields,
});

const input = (fields: Partial<TaskDraft>) => {
  const reading = inputOf(draft(fields));
  if (!reading.ok) throw new Error(JSON.stringify(reading.errors));
  return reading.input;
};

const faults = (fields: Partial<TaskDraft>) => {
  const reading = inputOf(draft(fields));
  return reading.ok ? [] : reading.errors.map(({ path }) => path);
};

describe("inputOf", () => {
  test("a draft of a task as it opens needs only a type", () => {
    expect(input({ type: " order.cancel " })).toEqual({
      type: "order.cancel",
      payload: {},
      delay: "1m",
      idempotencyKey: "abc",
    });
  });

  test("a draft's conflict policy goes only with a key", () => {
    expect(input({ key: "", onConflict: "replace" })).not.toHaveProperty("onConflict");
    expect(input({ key: "4711", onConflict: "replace" })).toMatchObject({ key: "4711", onConflict: "replace" });
  });

  test.each<[string, unknown]>([
    ["bytes: add, files:append", { bytes: "add", files: "append" }],
    [" a:b : max ", { "a:b": "max" }],
    ['{ "a, b": "min" }', { "a, b": "min" }],
    [": add", { "": "add" }],
  ])("a draft's reducers %j are sent as an object", (merge, expected) => {
    expect(input({ key: "4711", onConflict: "merge", merge }).merge).toEqual(expected);
  });

  test("a draft's reducers go only with merge, a longest wait with refresh too, and neither where it is empty", () => {
    const typed = { key: "4711", merge: "bytes: add", maxWait: " 1500 " };
    expect(input({ ...typed, onConflict: "merge" })).toMatchObject({ merge: { bytes: "add" }, maxWait: 1500 });
    expect(input({ ...typed, onConflict: "refresh" })).toMatchObject({ maxWait: 1500 });
    for (const fields of [
      { onConflict: "refresh" },
      { onConflict: "merge", merge: " " },
      { onConflict: "merge", key: "" },
    ])
      expect(input({ ...typed, ...(fields as Partial<TaskDraft>) })).not.toHaveProperty("merge");
    for (const fields of [
      { onConflict: "reject" },
      { onConflict: "merge", maxWait: " " },
      { onConflict: "merge", key: "" },
    ])
      expect(input({ ...typed, ...(fields as Partial<TaskDraft>) })).not.toHaveProperty("maxWait");
  });

  test.each(["bytes", "bytes: add,", "{ bytes"])("a draft's reducers that cannot be sent are a fault: %j", (merge) => {
    expect(faults({ key: "4711", onConflict: "merge", merge })).toEqual(["merge"]);
    expect(faults({ key: "4711", onConflict: "replace", merge })).toEqual([]);
  });

  test("a draft's tags are sent one by one, without the spaces and commas between them", () => {
    expect(input({ tags: " shop:7 ,vip, two words,," }).tags).toEqual(["shop:7", "vip", "two words"]);
    for (const tags of ["", " , "]) expect(input({ tags })).not.toHaveProperty("tags");
  });

  test("a draft's key is sent as typed, spaces and all", () => {
    expect(input({ key: " 4711 " }).key).toBe(" 4711 ");
  });

  test("a draft for now sends neither delay nor instant, whatever stands in the other fields", () => {
    const sent = input({ when: "now", delay: "5m", scheduledAt: "2026-11-21T09:00" });
    expect(sent).not.toHaveProperty("delay");
    expect(sent).not.toHaveProperty("scheduledAt");
  });

  test("a draft's delay of digits is milliseconds, any other text is left to the API", () => {
    expect(input({ delay: " 1500 " }).delay).toBe(1500);
    expect(input({ delay: "1h30m" }).delay).toBe("1h30m");
  });

  test("a draft's local date and time becomes an instant with its offset", () => {
    const sent = input({ when: "scheduledAt", scheduledAt: "2026-11-21T09:00:30" });
    expect(sent.scheduledAt).toBe(new Date(2026, 10, 21, 9, 0, 30).toISOString());
    expect(sent).not.toHaveProperty("delay");
  });

  test("every fault of a draft is named by its path at once", () => {
    const fields = { type: " ", payload: "{", delay: "", priority: "high", maxAttempts: "some" };
    expect(faults(fields)).toEqual(["type", "payload", "delay", "priority", "maxAttempts"]);
    expect(faults({ when: "scheduledAt", scheduledAt: "" })).toEqual(["scheduledAt"]);
  });

  test("an empty payload of a draft is a fault, null is not", () => {
    expect(faults({ payload: "  " })).toEqual(["payload"]);
    expect(input({ payload: "null" }).payload).toBeNull();
  });

  test("a draft without an idempotency key sends none", () => {
    expect(input({ idempotencyKey: " " })).not.toHaveProperty("idempotencyKey");
  });
});

test("idempotency keys are 32 hexadecimal digits and differ", () => {
  const keys = Array.from({ length: 100 }, newIdempotencyKey);
  expect(new Set(keys).size).toBe(100);
  for (const key of keys) expect(key).toMatch(/^[0-9a-f]{32}$/);
});

test("a draft of another task like a given one takes all but its key, its time and its idempotency key", () => {
  const like = { type: "order.cancel", payload: { id: "7" }, priority: 3, maxAttempts: 7, tags: ["vip", "shop:7"] };
  const { idempotencyKey, payload, ...made } = draftLike(like);
  const { idempotencyKey: _, payload: __, ...empty } = newDraft();
  expect(made).toEqual({ ...empty, type: "order.cancel", priority: "3", maxAttempts: "7", tags: "vip, shop:7" });
  expect(JSON.parse(payload)).toEqual(like.payload);
  expect(idempotencyKey).not.toBe(draftLike(like).idempotencyKey);
});
