import assert from "node:assert/strict";
import type { BootId, Breaker, BreakerChange, BreakerReply, BreakerSubject } from "@tickwheel/core";
import { killNode, Scenario } from "../subject/scenario.js";
import type { ConformanceCase, TaskStoreSubject } from "../subject/subject.js";

const HOUR = 3_600_000;
const TEN_S = 10_000;

type Wanted = BreakerChange extends infer Change ? (Change extends unknown ? Omit<Change, "subject"> : never) : never;

/** Breakers of a scenario's type and of a host. */
export class BreakerScene {
  readonly type: BreakerSubject;
  readonly host: BreakerSubject;

  constructor(readonly scene: Scenario) {
    const { namespace, type } = scene.type;
    this.type = { kind: "type", namespace, name: type };
    this.host = { kind: "host", namespace, name: "api.example:8443" };
  }

  static async open(subject: TaskStoreSubject): Promise<BreakerScene> {
    return new BreakerScene(await Scenario.open(subject));
  }

  get store() {
    return this.scene.subject.breakers();
  }

  /** By default of the type. */
  change(wanted: Wanted, subject: BreakerSubject = this.type): Promise<BreakerReply> {
    return this.store.changeBreaker({ subject, ...wanted } as BreakerChange);
  }

  openUp(forMs = TEN_S): Promise<BreakerReply> {
    return this.change({ kind: "open", reason: "FAILURES", forMs });
  }

  rest(forMs: number): Promise<BreakerReply> {
    return this.change({ kind: "open", reason: "RETRY_AFTER", forMs }, this.host);
  }

  async tries(bootId: BootId = this.scene.node): Promise<boolean> {
    return (await this.change({ kind: "try", bootId, forMs: TEN_S })).changed;
  }

  /** Those of the scenario's namespace. */
  async all(): Promise<Breaker[]> {
    return (await this.store.readBreakers()).filter(({ namespace }) => namespace === this.scene.namespace);
  }

  /** What the cluster was told of the type, the newest first. */
  async told(): Promise<string[]> {
    const { events } = await this.scene.subject
      .events()
      .page({ kinds: ["BREAKER_OPENED", "BREAKER_CLOSED"], limit: 20 });
    return events.flatMap(({ kind, facts }) =>
      "namespace" in facts && facts.namespace === this.scene.namespace ? [kind] : [],
    );
  }
}

/** Breakers that all nodes read, and the trial of one of them. */
export const breakerCases: ConformanceCase[] = [
  {
    name: "a breaker opens for all nodes; one that is open already ends at the later end",
    async run(subject) {
      const breakers = await BreakerScene.open(subject);
      const now = subject.now();
      const { changed, breaker } = await breakers.openUp();
      const expected = { ...breakers.type, state: "open", reason: "FAILURES", openedAt: now, until: now + TEN_S };
      assert.deepEqual(breaker, { ...expected, openForMs: TEN_S, trialBy: null, failedTrials: 0 });
      assert.deepEqual([changed, await breakers.all()], [true, [breaker]]);
      assert.equal((await breakers.openUp(5_000)).changed, false);
      assert.equal((await breakers.openUp(20_000)).breaker?.until, now + 20_000);
      assert.deepEqual(await breakers.told(), ["BREAKER_OPENED"]);
    },
  },
  {
    name: "one node tries when the time is over; its success closes the breaker",
    async run(subject) {
      const breakers = await BreakerScene.open(subject);
      const { node } = breakers.scene;
      const other = await breakers.scene.join();
      await breakers.openUp();
      await subject.advance(TEN_S - 1);
      assert.equal(await breakers.tries(), false);
      await subject.advance(1);
      assert.deepEqual(
        [await breakers.tries(), await breakers.tries(other), await breakers.tries()],
        [true, false, false],
      );
      assert.equal((await breakers.change({ kind: "succeeded", bootId: other })).changed, false);
      const closed = await breakers.change({ kind: "succeeded", bootId: node });
      assert.deepEqual([closed, await breakers.all()], [{ changed: true, breaker: null }, []]);
      assert.deepEqual(await breakers.told(), ["BREAKER_CLOSED", "BREAKER_OPENED"]);
    },
  },
  {
    name: "a trial that fails opens the breaker for twice as long; it takes as long as its task may",
    async run(subject) {
      const breakers = await BreakerScene.open(subject);
      const { node } = breakers.scene;
      await breakers.openUp();
      await subject.advance(TEN_S);
      await breakers.tries();
      await breakers.change({ kind: "keep", bootId: node, forMs: HOUR });
      await subject.advance(HOUR - 1);
      assert.equal(await breakers.tries(await breakers.scene.join()), false);
      const now = subject.now();
      const { breaker } = await breakers.change({ kind: "failed", bootId: node });
      assert.deepEqual([breaker?.state, breaker?.until, breaker?.failedTrials], ["open", now + 2 * TEN_S, 1]);
      assert.deepEqual(await breakers.told(), ["BREAKER_OPENED"]);
    },
  },
  {
    name: "the trial of a node that is dead, or not there, is another's at once",
    async run(subject) {
      const breakers = await BreakerScene.open(subject);
      const { scene } = breakers;
      const first = await scene.join();
      const second = await scene.join();
      await breakers.openUp();
      await subject.advance(TEN_S);
      assert.equal(await breakers.tries(first), true);
      assert.equal(await breakers.tries(second), false);
      await killNode(subject, first);
      assert.equal(await breakers.tries(second), true);
      assert.equal((await breakers.change({ kind: "succeeded", bootId: first })).changed, false);
    },
  },
  {
    name: "somebody closes a breaker, and only once",
    async run(subject) {
      const breakers = await BreakerScene.open(subject);
      await breakers.openUp();
      const close = () => breakers.change({ kind: "close", actor: "key:7" });
      assert.deepEqual([(await close()).changed, (await close()).changed, await breakers.all()], [true, false, []]);
      const { events } = await subject.events().page({ kinds: ["BREAKER_CLOSED"], limit: 1 });
      const { namespace, type } = breakers.scene.type;
      const openedAt = subject.now();
      assert.deepEqual(events[0]?.facts, { namespace, type, openedAt, actor: "key:7" });
    },
  },
  {
    name: "a host's rest is over at its end, and tells the cluster nothing; a type's breaker stays an hour longer",
    async run(subject) {
      const breakers = await BreakerScene.open(subject);
      await breakers.openUp(5_000);
      await breakers.rest(5_000);
      assert.deepEqual(
        (await breakers.all()).map(({ kind }) => kind),
        ["host", "type"],
      );
      await subject.advance(5_000);
      assert.deepEqual(
        (await breakers.all()).map(({ kind }) => kind),
        ["type"],
      );
      await subject.advance(HOUR);
      assert.deepEqual([await breakers.all(), await breakers.told()], [[], ["BREAKER_OPENED"]]);
      const now = subject.now();
      assert.equal((await breakers.openUp()).breaker?.openedAt, now);
      assert.equal((await breakers.rest(1_000)).breaker?.openedAt, now);
    },
  },
];
