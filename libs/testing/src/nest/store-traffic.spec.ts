import { expect, test } from "@jest/globals";
import type {
  ClaimedTask,
  ClaimReply,
  ClaimRequest,
  LimitedClaimReply,
  LimitedClaimRequest,
  TaskStore,
} from "@tickwheel/core";
import type { NodeStores } from "@tickwheel/nestjs/internals";
import { StoreTraffic } from "./store-traffic.js";

const SHARED = ["tasks", "cluster", "effects", "schedules", "batches", "events"];
const STORES = [...SHARED, "operations", "deadLetters", "apiKeys", "sessions", "settings", "limits", "breakers"];
const CLAIMED: ClaimReply = { fenced: true, tasks: [{} as ClaimedTask] };

/** A store whose calls are answered by the test. */
class OpenStore {
  readonly answers: (() => void)[] = [];
  private readonly name = "store";

  get(): Promise<string> {
    return new Promise((resolve) => this.answers.push(() => resolve(this.name)));
  }

  claim(): Promise<ClaimReply> {
    return Promise.resolve(CLAIMED);
  }

  size(): number {
    return this.answers.length;
  }
}

test("a call of a store is under way until it is answered", async () => {
  const traffic = new StoreTraffic();
  const store = new OpenStore();
  const counted = traffic.counted(store);
  const first = counted.get();
  const second = counted.get();
  expect([traffic.underWay, counted.size()]).toEqual([2, 2]);
  for (const answer of store.answers) answer();
  expect(await Promise.all([first, second])).toEqual(["store", "store"]);
  expect(traffic.underWay).toBe(0);
});

test("a look at keys or sessions is under way as any other call of a node's stores", () => {
  const traffic = new StoreTraffic();
  const open = { hasAny: () => new Promise(() => undefined) };
  const stores = Object.fromEntries(STORES.map((name) => [name, open])) as unknown as NodeStores;
  const { apiKeys, sessions } = traffic.through(stores) as unknown as Record<string, typeof open>;
  void apiKeys!.hasAny();
  void sessions!.hasAny();
  expect(traffic.underWay).toBe(2);
});

test("a call of a store that fails is not under way any more", async () => {
  const traffic = new StoreTraffic();
  const counted = traffic.counted({ get: () => Promise.reject(new Error("away")) });
  await expect(counted.get()).rejects.toThrow("away");
  expect(traffic.underWay).toBe(0);
});

test("a claim waits until the time is moved, and is not under way meanwhile", async () => {
  const traffic = new StoreTraffic();
  const tasks = traffic.gated(new OpenStore() as unknown as TaskStore);
  const replies: ClaimReply[] = [];
  const claim = (): Promise<unknown> => tasks.claim({} as ClaimRequest).then((reply) => replies.push(reply));
  const first = claim();
  await Promise.resolve();
  expect([replies, traffic.underWay]).toEqual([[], 0]);
  traffic.admit();
  await first;
  expect([replies, traffic.claimed]).toEqual([[CLAIMED], 1]);
  traffic.hold();
  const second = claim();
  traffic.end();
  await second;
  // A claim of a node that stops brings nothing.
  expect([replies[1], traffic.claimed]).toEqual([{ fenced: false, tasks: [] }, 1]);
});

test("a claim within limits waits like a plain claim; the claim of a node that stops finds its limit taken", async () => {
  const traffic = new StoreTraffic();
  const answered: LimitedClaimReply = { outcome: "answered", places: 3, full: [], ...CLAIMED };
  const open = { claimLimited: () => Promise.resolve(answered) };
  const stores = Object.fromEntries(STORES.map((name) => [name, open])) as unknown as NodeStores;
  const { limits } = traffic.through(stores);
  const replies: LimitedClaimReply[] = [];
  const claim = (): Promise<unknown> =>
    limits.claimLimited({} as LimitedClaimRequest).then((reply) => replies.push(reply));
  const first = claim();
  await Promise.resolve();
  expect([replies, traffic.underWay]).toEqual([[], 0]);
  traffic.admit();
  await first;
  expect([replies, traffic.claimed]).toEqual([[answered], 1]);
  traffic.hold();
  const second = claim();
  traffic.end();
  await second;
  expect([replies[1], traffic.claimed]).toEqual([{ outcome: "taken" }, 1]);
});
