import { describe, expect, test } from "@jest/globals";
import { type ClaimSituation, claimInMs } from "./claim-plan.js";

const options = { claimAheadMs: 5, settleBacklogSize: 100 };
const idle: ClaimSituation = {
  mayWork: true,
  isInFlight: false,
  waitingSettles: 0,
  firstDueAt: 1_000,
  dbNow: 1_000,
  nowMonoMs: 50,
  lastSentMonoMs: -Infinity,
  pausedUntilMonoMs: -Infinity,
  hasRoomAhead: true,
};

describe("the next claim", () => {
  test.each<[string, Partial<ClaimSituation>, number | null]>([
    ["is sent at once for what is due", {}, 0],
    ["is sent at once for what is due, however recent the last one", { lastSentMonoMs: 50 }, 0],
    ["is sent at once for what is due soon", { firstDueAt: 1_004, lastSentMonoMs: 40 }, 0],
    ["keeps half the lead from the last one for what is due soon", { firstDueAt: 1_004, lastSentMonoMs: 49 }, 2],
    ["is not later than the due time for that", { firstDueAt: 1_001, lastSentMonoMs: 49 }, 1],
    ["waits until it is due where most places are taken", { firstDueAt: 1_004, hasRoomAhead: false }, 4],
    ["waits after a failure", { pausedUntilMonoMs: 300 }, 250],
    ["is not sent while nothing waits", { firstDueAt: null }, null],
    ["is not sent beside another", { isInFlight: true }, null],
    ["is not sent by a node that may not work", { mayWork: false }, null],
    ["is sent while ten batches of settles wait", { waitingSettles: 100 }, 0],
    ["is not sent while more of them wait", { waitingSettles: 101 }, null],
  ])("the next claim %s", (_, situation, expected) => {
    expect(claimInMs({ ...idle, ...situation }, options)).toBe(expected);
  });
});
