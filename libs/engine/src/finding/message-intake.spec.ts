import { describe, expect, test } from "@jest/globals";
import type { TaskHint } from "@tickwheel/core";
import { ManualClock } from "@tickwheel/testing";
import { MessageIntake } from "./message-intake.js";

const NOW = 1_000_000;

function intakeOf() {
  const clock = new ManualClock();
  const done: string[] = [];
  const kept: TaskHint[] = [];
  const intake = new MessageIntake({
    clock,
    dbClock: { nowMs: () => NOW + clock.monotonicMs() },
    options: { horizonMs: 15_000 },
    executions: { get: ({ id }) => (id === "here" ? ({} as never) : undefined) },
    keep: (hints) => kept.push(...hints),
    lookAgain: () => done.push("looked"),
    readCancels: () => done.push("read cancels"),
    roomFreed: (limitIds) => done.push(`room of ${limitIds.join()}`),
  });
  return { clock, intake, done, kept };
}

function hint(dueAt: number): TaskHint {
  return { id: "a", typeId: 1, version: 1, dueAt, priority: 5 };
}

describe("another node's hint", () => {
  test("another node's hint is kept up to the horizon, and counts as due now if it claims to be long overdue", () => {
    const { intake, kept } = intakeOf();
    const dues = [0, NOW - 1, NOW, NOW + 15_000, NOW + 16_001, 8.64e15];
    intake.receive({ kind: "hints", hints: dues.map(hint) });
    expect(kept.map(({ dueAt }) => dueAt)).toEqual([NOW, NOW, NOW, NOW + 15_000]);
  });

  test("another node's hint is dropped beyond ten thousand a second; the node then asks the store instead", async () => {
    const { clock, intake, done, kept } = intakeOf();
    const hints = Array.from({ length: 500 }, () => hint(NOW));
    for (let count = 0; count < 40; count++) intake.receive({ kind: "hints", hints });
    expect([kept.length, done]).toEqual([10_000, ["looked"]]);
    await clock.advance(1_000);
    intake.receive({ kind: "hints", hints });
    expect(kept.length).toBe(10_500);
  });
});

test("messages to load make the node ask the store at most ten times a second, however many they are", async () => {
  const { clock, intake, done } = intakeOf();
  for (let ms = 0; ms < 1_000; ms++) {
    intake.receive({ kind: "load" });
    await clock.advance(1);
  }
  intake.stop();
  expect(done).toHaveLength(11);
});

test("a message that places are free is handed on", () => {
  const { intake, done } = intakeOf();
  intake.receive({ kind: "room", limitIds: [7, 8] });
  expect(done).toEqual(["room of 7,8"]);
});

test("a cancel message makes a node that runs its execution read the cancel requests, and nothing else", async () => {
  const { clock, intake, done } = intakeOf();
  intake.receive({ kind: "cancel", id: "elsewhere", fence: 1 });
  expect(done).toEqual([]);
  for (let count = 0; count < 100; count++) intake.receive({ kind: "cancel", id: "here", fence: 1 });
  await clock.advance(1_000);
  expect(done).toEqual(["read cancels", "read cancels"]);
});
