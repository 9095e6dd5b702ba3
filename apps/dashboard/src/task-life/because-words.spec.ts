import { describe, expect, test } from "@jest/globals";
import type { Because, Task } from "../api/wire.js";
import { T0, taskOf } from "../../test-support/task-scene.js";
import { becauseCodes } from "../api/wire.js";
import { becauseWords } from "./because-words.js";

const words = (given: Parameters<typeof taskOf>[0], nowMs = 0) =>
  becauseWords({
    task: taskOf(given),
    now: T0 + nowMs,
    actorName: String,
    instantText: (instant) => `+${instant - T0}`,
  })!;

describe("the sentence of a task", () => {
  test("the sentence of a task is there for every code, ends with one full stop, and has no double one", () => {
    for (const code of becauseCodes) {
      const { lead, more } = words({ because: { code }, lastError: "Error: no answer.\n at x" });
      for (const text of [lead, more].filter((one) => one !== null)) expect(text).toMatch(/[^.]\.$/);
    }
  });

  test("the sentence of a task says that it waits for its time, and warns if no node runs its type", () => {
    expect(words({ because: { code: "SCHEDULED" }, dueAt: T0 + 900 })).toMatchObject({
      tone: "plain",
      lead: expect.stringContaining("due at +900"),
    });
    const { tone, lead } = words({ because: { code: "SCHEDULED", hasNoNode: true } });
    expect([tone, lead]).toEqual(["expired", "It is due at +0, and no live node runs order.cancel now."]);
  });

  test("the sentence of an overdue task names what is missing to it", () => {
    expect(words({ because: { code: "NO_NODE" } }, 61_000).lead).toBe(
      "It has not run because no live node runs order.cancel. It is overdue by 1 min 1 s.",
    );
    const lastRunner = { node: "10.4.1.40:7", how: "LEFT", at: new Date(T0 - 1_000).toISOString() } as const;
    expect(words({ because: { code: "NO_NODE", lastRunner } }, 61_000).lead).toBe(
      "It has not run because no live node runs order.cancel. The last that did, 10.4.1.40:7, shut down at +-1000. It is overdue by 1 min 1 s.",
    );
    expect(words({ because: { code: "NO_PLACE", places: { inUse: 12, all: 100 } } }, 2_000).lead).toBe(
      "It waits for a place to run, overdue by 2 s. Of 100 places on the nodes that run its type, 12 are in use.",
    );
  });

  test("the sentence of a task names the limit that keeps it waiting, and whose limit it is", () => {
    const of = { of: "TYPE", maxRunning: 5, running: 5, rate: null } as const;
    const lead = (limit: Because["limit"]): string => words({ because: { code: "LIMITED", limit } }, 2_000).lead;
    const rate = { count: 100, perMs: 1_000 };
    expect([
      lead(of),
      lead({ ...of, of: "NAMESPACE", running: 1, maxRunning: 1 }),
      lead({ ...of, running: 7 }),
      lead({ ...of, running: null }),
      lead({ ...of, running: 3, rate }),
      lead({ ...of, maxRunning: null, running: null, rate }),
    ]).toEqual([
      "It waits for its turn, overdue by 2 s: 5 of order.cancel run, which is the limit.",
      "It waits for its turn, overdue by 2 s: 1 of its namespace runs, which is the limit.",
      "It waits for its turn, overdue by 2 s: 7 of order.cancel run, which is more than the limit of 5.",
      "It waits for its turn, overdue by 2 s: 5 of order.cancel run, which is the limit.",
      "It waits for its turn, overdue by 2 s: 100 in 1 s may start of order.cancel.",
      "It waits for its turn, overdue by 2 s: 100 in 1 s may start of order.cancel.",
    ]);
  });

  test("the sentence of a task names the breaker that keeps it waiting: its type's, or its host's", () => {
    const at = (ms: number): string => new Date(T0 + ms).toISOString();
    const lead = (breaker: Because["breaker"]): string => words({ because: { code: "BREAKER", breaker } }, 2_000).lead;
    const open = { state: "OPEN", since: at(-60_000), until: at(5_000), failedTrials: 0 } as const;
    expect([
      lead(open),
      lead({ ...open, failedTrials: 1 }),
      lead({ ...open, state: "HALF_OPEN", failedTrials: 2 }),
      lead(null),
    ]).toEqual([
      "It waits because attempts of order.cancel fail: the breaker is open since +-60000. The next trial is at +5000.",
      "It waits because attempts of order.cancel fail: the breaker is open since +-60000. 1 trial failed since. The next trial is at +5000.",
      "It waits because attempts of order.cancel fail: the breaker is open since +-60000. 2 trials failed since. One task is tried now, until +5000 at the latest.",
      "It was put off untried, because its host fails, rests or has no free place. It is tried again at +0.",
    ]);
  });

  test("the sentence of a task says who has put it off: its handler, or a webhook's receiver", () => {
    const because = { code: "PUT_OFF", snoozes: 2 } as const;
    expect(words({ because }).lead).toBe("Its handler has put it off 2 times. It is due again at +0.");
    const deliver = { url: "https://api.example/hook" } as Task["deliver"];
    expect(words({ because, deliver })).toMatchObject({
      lead: "Its receiver has put it off 2 times. It is due again at +0.",
      more: "The answer asked for a rest by Retry-After. The attempt does not count.",
    });
  });

  test("the sentence of a task tells a late start by its largest part, or by the node that it was taken from", () => {
    const late = { latenessMs: 7_712, part: "known", partMs: 7_505, takenFrom: null } as const;
    const ended = { state: "succeeded", attempt: 1, node: "tw-a" } as const;
    expect(words({ ...ended, because: { code: "SUCCEEDED", late } })).toMatchObject({
      tone: "overdue",
      lead: "It succeeded at its first attempt. Its last run started 7.7 s late because no node knew of it before (7.5 s).",
    });
    const takenFrom = {
      node: "tw-c",
      silentSince: new Date(T0).toISOString(),
      takenOverAt: new Date(T0).toISOString(),
    };
    expect(words({ ...ended, because: { code: "SUCCEEDED", late: { ...late, takenFrom } } }).lead).toBe(
      "It succeeded at its first attempt. Its last run started 7.7 s late because tw-c had it and fell silent; tw-a took it over.",
    );
    expect(words({ ...ended, because: { code: "SUCCEEDED" } }).tone).toBe("plain");
  });

  test("the sentence of a task tells the error of the attempt before, and the deaths of its nodes", () => {
    const given = {
      state: "succeeded",
      attempt: 2,
      lastError: "GatewayTimeoutError: no answer.",
      crashCount: 1,
    } as const;
    const { lead, more } = words({ ...given, because: { code: "SUCCEEDED" } });
    expect(lead).toBe("It succeeded at attempt 2 of 3; the one before failed: GatewayTimeoutError: no answer.");
    expect(more).toContain("Its node died while it ran, once");
  });

  test.each<[reason: NonNullable<Task["reason"]>, lead: string]>([
    ["ATTEMPTS", "It is dead: all 3 attempts failed, the last with Error: boom."],
    ["CRASHES", "It is dead: it was running when its node died, 3 times."],
    ["NON_RETRYABLE", "It is dead: it failed with an error that is not retried: Error: boom."],
    ["PAYLOAD_INVALID", "It is dead: its payload is not valid: Error: boom."],
  ])("the sentence of a task tells why it is dead: %s", (reason, lead) => {
    const dead = { state: "dead", reason, lastError: "Error: boom", crashCount: 3 } as const;
    expect(words({ ...dead, because: { code: "DEAD" } }).lead).toBe(lead);
  });

  test("a task has no sentence where the server says nothing", () => {
    expect(becauseWords({ task: taskOf(), now: T0, actorName: String, instantText: String })).toBeNull();
  });
});
