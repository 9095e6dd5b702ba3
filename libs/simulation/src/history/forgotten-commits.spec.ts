import { describe, expect, test } from "@jest/globals";
import { withoutForgottenCommits } from "./forgotten-commits.js";
import type { HistoryBuilder } from "../../test-support/history-builder.js";
import { doneTask, dueTask, runningTask } from "../../test-support/first-chapters.js";

/** What is left of a history, as words. */
function left(built: HistoryBuilder): string[] {
  return withoutForgottenCommits(built.build().events).map((event) =>
    event.kind === "row-changed" ? event.statement : event.kind === "fault-began" ? event.fault.name : event.kind,
  );
}

const JOINED = ["joined", "joined"];
const CREATED = [...JOINED, "create", "create-acknowledged"];

describe("withoutForgottenCommits", () => {
  test("withoutForgottenCommits gives back the very list where nothing was forgotten", () => {
    const { events } = doneTask().build();
    expect(withoutForgottenCommits(events)).toBe(events);
  });

  test("withoutForgottenCommits takes out changes, acknowledgements and effects above the last commit that was kept", () => {
    expect(left(doneTask().failover(3))).toEqual([
      ...CREATED,
      "claim",
      "started",
      "ended",
      "settle",
      "effect",
      "failover",
    ]);
    expect(left(doneTask().failover(2))).toEqual([...CREATED, "claim", "started", "ended", "failover"]);
    expect(left(dueTask().cancel("a").failover(1))).toEqual([...CREATED, "failover"]);
    expect(left(dueTask().failover(0))).toEqual([...JOINED, "failover"]);
  });

  test("withoutForgottenCommits takes out what an execution did whose claim was forgotten, before and after the fail-over", () => {
    expect(left(doneTask().failover(1))).toEqual([...CREATED, "failover"]);
    expect(left(runningTask().failover(1).end("a", { fence: 1, bootId: "n1" }))).toEqual([...CREATED, "failover"]);
  });

  test("withoutForgottenCommits counts a node's execution again once the node has claimed the same fence anew", () => {
    const again = runningTask().failover(1).claim("a", "n1").start("a").succeed("a");
    expect(left(again)).toEqual([...CREATED, "failover", "claim", "started", "ended", "settle", "effect"]);
  });

  test("withoutForgottenCommits keeps what was committed after the fail-over, and forgets it in a second one", () => {
    const twice = dueTask().failover(1).cancel("a");
    expect(left(twice)).toEqual([...CREATED, "failover", "cancel", "cancel-acknowledged"]);
    expect(left(twice.failover(1))).toEqual([...CREATED, "failover", "failover"]);
  });
});
