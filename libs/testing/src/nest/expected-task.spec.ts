import { describe, expect, test } from "@jest/globals";
import { type Duration, defineTask, type TaskView } from "@tickwheel/nestjs";
import { type ExpectationParts, ExpectedTask } from "./expected-task.js";

const CancelOrder = defineTask<{ orderId: string; lines?: string[] }>("order.cancel");
const NOW_MS = Date.parse("2026-03-01T00:00:00Z");

function task(fields: Partial<TaskView> = {}): TaskView {
  const made = {
    type: "order.cancel",
    key: "42",
    payload: { orderId: "42" },
    tags: ["vip"],
    attempt: 0,
    lastError: null,
  };
  return { ...made, state: "scheduled", dueAt: new Date(NOW_MS + 900_000), ...fields } as TaskView;
}

function expectIn(there: readonly TaskView[], isWanted = true): ExpectedTask<{ orderId: string; lines?: string[] }> {
  const find: ExpectationParts["tasks"]["find"] = ({ key, states }) => {
    const items = there.filter((one) => (key ?? one.key) === one.key && states!.includes(one.state));
    return Promise.resolve({ items, next: null });
  };
  const entry = { at: new Date(NOW_MS), from: null, to: "scheduled", attempt: 1, error: null };
  const failed = { ...entry, attempt: 2, error: "no stock\n at pay (…)" };
  const items = [entry, ...Array.from({ length: 7 }, () => failed)] as never[];
  const journal: ExpectationParts["tasks"]["journal"] = () => Promise.resolve({ items, next: null });
  const whyGone = () => Promise.resolve("It is gone.");
  return new ExpectedTask(CancelOrder, { tasks: { find, journal }, now: () => new Date(NOW_MS), whyGone }, isWanted);
}

const told = (expectation: PromiseLike<unknown>): Promise<string> =>
  Promise.resolve(expectation).then(
    () => "it is so",
    (error: Error) => error.message,
  );

describe("a task that is wanted", () => {
  test("an expected task is answered when all that is said of it holds", async () => {
    const found = await expectIn([task(), task({ key: "43" })])
      .withKey("42")
      .withPayload({ orderId: "42" })
      .withTag("vip")
      .dueIn("15m")
      .dueAt(new Date(NOW_MS + 900_000));
    expect(found.key).toBe("42");
  });

  test.each<[string, (one: ReturnType<typeof expectIn>) => unknown]>([
    ["a field of its payload", (one) => one.withPayload({ orderId: "4" })],
    ["a field that it has not", (one) => one.withPayload({ lines: [] })],
    ["its tag", (one) => one.withTag("new")],
    ["its time by a millisecond", (one) => one.dueIn(899_999)],
    ["its instant", (one) => one.dueAt(new Date(NOW_MS))],
    ["its key", (one) => one.withKey("4")],
    ["its state", (one) => one.inState("running")],
  ])("an expected task is missed by %s", async (_, narrow) => {
    const expectation = expectIn([task()]);
    narrow(expectation);
    expect(await told(expectation)).toMatch(/^Expected one task of order\.cancel: /);
  });

  test("an expected task is missed when there are two like it", async () => {
    expect(await told(expectIn([task(), task()]).withKey("42"))).toBe(
      [
        'Expected one task of order.cancel: key "42", state scheduled or paused or running. There are 2 like that:',
        '  key "42", payload {"orderId":"42"}, scheduled, due in 900000 ms',
        '  key "42", payload {"orderId":"42"}, scheduled, due in 900000 ms',
      ].join("\n"),
    );
  });

  test("an expected task that is missed is told with what there is instead", async () => {
    const failed = task({ key: null, attempt: 2, lastError: "no stock\n at pay (…)", dueAt: new Date(NOW_MS) });
    expect(await told(expectIn([failed]).dueIn("15m"))).toBe(
      [
        "Expected one task of order.cancel: due in 15m, state scheduled or paused or running. There is 1:",
        '  no key, payload {"orderId":"42"}, scheduled, due in 0 ms, attempt 2, last error no stock',
        ...Array.from({ length: 5 }, () => "    attempt 2 failed at 2026-03-01T00:00:00.000Z: no stock"),
      ].join("\n"),
    );
    expect(await told(expectIn([]).withKey("4"))).toContain(
      "There is none of that type and key in these states. It is gone.",
    );
  });

  test("an expected task that is missed is told with ten of the tasks that there are", async () => {
    const many = Array.from({ length: 12 }, () => task());
    expect(await told(expectIn(many).withTag("new"))).toMatch(/There are 12:(\n {2}key.*){10}\n {2}and 2 more$/);
  });
});

test("an expectation of no task holds, or tells which task there is", async () => {
  expect(await told(expectIn([task({ state: "dead" })], false))).toBe("it is so");
  expect(await told(expectIn([task()], false).withKey("42"))).toContain("Expected no task of order.cancel");
});

test("an expected task refuses a time that is no time", () => {
  expect(() => expectIn([]).dueIn("soon" as string as Duration)).toThrow(RangeError);
});

test("an expectation of a task knows whether it was awaited", async () => {
  const expectation = expectIn([task()]);
  expect(expectation.wasChecked).toBe(false);
  await expectation;
  expect(expectation.wasChecked).toBe(true);
});
