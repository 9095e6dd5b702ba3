import { beforeEach, describe, expect, test } from "@jest/globals";
import type { ClaimedTask, LimitedClaimReply, LimitedClaimRequest } from "@tickwheel/core";
import { ManualClock } from "@tickwheel/testing";
import { limitOf, limitsOf } from "../../test-support/cluster-limits.js";
import { servedTypes } from "../../test-support/served-types.js";
import { NodeMeters } from "../counting/node-meters.js";
import { Capacity } from "../held/capacity.js";
import { ClaimRounds } from "../limits/claim-rounds.js";
import { foundTask } from "../waiting/found-task.js";
import { ReadyQueue } from "../waiting/ready-queue.js";
import type { LimitsOfType } from "../types/limits-in-force.js";
import { UNLIMITED } from "../types/limits-in-force.js";
import type { Batch } from "./claim-way.js";
import { LimitedClaims } from "./limited-claims.js";

const MAIL = 1;
const EXPORT = 2;
const PLAIN = 3;
const REQUEST = { owner: "1", ids: [], claimAheadMs: 20 };

let ready: ReadyQueue;
let capacity: Capacity;
let rounds: ClaimRounds;
let requests: LimitedClaimRequest[];
let reply: LimitedClaimReply;
let areLimited: boolean;
let claims: LimitedClaims;

beforeEach(() => {
  const clock = new ManualClock();
  ready = new ReadyQueue(100);
  capacity = new Capacity(10, servedTypes({}, { types: 3 }), clock);
  [requests, areLimited] = [[], true];
  const limits = limitsOf(limitOf(7, MAIL, { maxRunning: 3 }), limitOf(8, EXPORT, { maxRunning: 50 }));
  const limitsNow = (typeId: number): LimitsOfType => (areLimited ? limits(typeId) : UNLIMITED);
  rounds = new ClaimRounds({ clock, random: { next: () => 0.5 }, limitsOf: limits, opened: () => undefined });
  const claimLimited = async (request: LimitedClaimRequest): Promise<LimitedClaimReply> => {
    requests.push(request);
    return reply;
  };
  const parts = { store: { claimLimited }, ready, capacity, limitsOf: limitsNow, rounds };
  claims = new LimitedClaims({ meters: new NodeMeters() }, parts);
});

/** Tasks `a1`, `a2`, … of a type, due in this order. */
function fill(name: string, typeId: number, count: number): void {
  for (let place = 1; place <= count; place++)
    ready.push(foundTask({ id: `${name}${place}`, typeId, version: 1, dueAt: place, priority: 5 }, "wheel", 0), 0);
}

const idsOf = ({ tasks }: Pick<Batch, "tasks">): string[] => tasks.map(({ id }) => id);

/** The store's answer: this number of places of limit 7 was free, and these tasks have taken some. */
function answered(places: number, ...ids: string[]): void {
  const tasks = ids.map((id) => ({ id, typeId: MAIL }) as ClaimedTask);
  reply = { outcome: "answered", fenced: false, places, tasks, full: ids.length >= places ? [7] : [] };
}

describe("a batch", () => {
  test("a batch to claim is of one limited type; it names more tasks than it takes places for", () => {
    fill("p", PLAIN, 1);
    fill("m", MAIL, 6);
    fill("e", EXPORT, 2);
    const batch = claims.select(5);
    expect([idsOf(batch), batch.most, capacity.inUse, ready.size]).toEqual([["m1", "m2", "m3", "m4", "m5"], 3, 3, 4]);
  });

  test("a batch to claim takes no more places than this node has", () => {
    fill("e", EXPORT, 20);
    expect([claims.select(20).most, claims.peek()]).toEqual([9, undefined]);
  });

  test("a batch to claim is none where the limit is closed for a moment", () => {
    fill("m", MAIL, 1);
    rounds.wereFull([7]);
    expect(claims.peek()).toBeUndefined();
  });

  test("a batch to claim gives its places back as a whole, or all but those that it needs", () => {
    fill("m", MAIL, 6);
    claims.giveBackPlaces(claims.select(6));
    expect(capacity.inUse).toBe(0);
    fill("n", MAIL, 6);
    claims.keepPlaces(claims.select(6), new Map([["n2", MAIL]]));
    expect(capacity.inUse).toBe(1);
  });

  test("a batch to claim is halved with its places; a half that has none goes back into the queue", () => {
    fill("m", MAIL, 6);
    const [first, second] = claims.split(claims.select(4));
    expect([idsOf(first!), first!.most, idsOf(second!), second!.most]).toEqual([["m1", "m2"], 2, ["m3", "m4"], 1]);
    const halves = claims.split({ ...first!, most: 1 });
    expect([halves.map(idsOf), ready.size]).toEqual([[["m1"]], 3]);
  });
});

describe("an answer", () => {
  let batch: Batch;

  beforeEach(() => {
    fill("m", MAIL, 6);
    batch = claims.select(6);
  });

  test("a limited claim asks for the limits of the type, and for as many tasks as it has places for", async () => {
    answered(3, "m1", "m2", "m3");
    await claims.claim(REQUEST, batch);
    expect(requests).toEqual([{ ...REQUEST, limitIds: [7], most: 3 }]);
  });

  test("a limited claim that took all places leaves the tasks behind the last for later, and closes the type", async () => {
    answered(2, "m2", "m4");
    const { left } = await claims.claim(REQUEST, batch);
    expect([left.map(({ id }) => id), rounds.isOpen(MAIL)]).toEqual([["m5", "m6"], false]);
  });

  test("a limited claim that found no place leaves all tasks", async () => {
    answered(0);
    const { left } = await claims.claim(REQUEST, batch);
    expect([left, rounds.isOpen(MAIL)]).toEqual([batch.tasks, false]);
  });

  test("a limited claim that left places free has looked at all tasks: the others are gone", async () => {
    answered(3, "m2");
    expect([(await claims.claim(REQUEST, batch)).left, rounds.isOpen(MAIL)]).toEqual([[], true]);
  });

  test("a limited claim that took as many tasks as this node wanted closes nothing", async () => {
    answered(5, "m1", "m2", "m3");
    const { left } = await claims.claim(REQUEST, batch);
    expect([left.map(({ id }) => id), rounds.isOpen(MAIL)]).toEqual([["m4", "m5", "m6"], true]);
  });

  test("a limited claim that another claim stood in the way of leaves all tasks, for a moment", async () => {
    reply = { outcome: "taken" };
    const { left, reply: got } = await claims.claim(REQUEST, batch);
    expect([left, got.tasks, rounds.isOpen(MAIL)]).toEqual([batch.tasks, [], false]);
  });

  test("a limited claim is not asked for once the type has no limit any more", async () => {
    areLimited = false;
    const { left } = await claims.claim(REQUEST, batch);
    expect([left, requests]).toEqual([batch.tasks, []]);
  });
});
