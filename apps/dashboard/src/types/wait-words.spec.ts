import { expect, test } from "@jest/globals";
import type { Task } from "../api/wire.js";
import { taskWaitText } from "./wait-words.js";

const deliver = { kind: "webhook", url: "https://api.example/hook" } as Task["deliver"];
const text = (waitingFor: string | null, to: Task["deliver"] = null): string | null =>
  taskWaitText({ waitingFor: waitingFor as Task["waitingFor"], deliver: to });

test("the reason why a task waits is told in words; a reason that is not known is told as it came", () => {
  expect(["HANDLER", "LIMIT", "MOON", null].map((wait) => text(wait))).toEqual([
    "no live node runs it",
    "a limit lets no more start",
    "waits for MOON",
    null,
  ]);
});

test("the breaker that a task waits for is its type's, or that of a webhook's host or of a broker", () => {
  const published = { kind: "nats", to: "shop" } as Task["deliver"];
  expect([text("BREAKER"), text("BREAKER", deliver), text("BREAKER", published)]).toEqual([
    "its type's breaker is open",
    "its host fails or rests",
    "its broker takes nothing",
  ]);
});
