import assert from "node:assert/strict";
import type { DeathVerdict } from "@tickwheel/core";
import { Scenario } from "../subject/scenario.js";
import type { ConformanceCase } from "../subject/subject.js";

/** How often a race is run. The store decides which of the two orders happens, so each check holds for both. */
const ROUNDS = 25;
/** Tasks that are due this soon may be claimed, and may still be put off. */
const CLAIM_AHEAD_MS = 20;

export const raceCases: ConformanceCase[] = [
  {
    name: "two claimers at once get disjoint sets, and together all due tasks",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const rival = await scene.join();
      const created = await scene.createAll(...Array.from({ length: 200 }, () => scene.newTask()));
      const ids = created.flatMap((result) => ("task" in result ? [result.task.id] : []));
      const claims = await Promise.all([
        scene.claim(ids),
        scene.claim([...ids].reverse(), { owner: rival }),
        scene.claim(ids, { owner: rival }),
      ]);
      const late = await scene.claim(ids); // the tasks that all claims skipped, since another held the row
      const claimed = [...claims.flat(), ...late];
      assert.equal(new Set(claimed.map((task) => task.id)).size, claimed.length);
      assert.equal(claimed.length, ids.length);
      const mine = await scene.store.runningUnder(scene.node);
      assert.equal(mine.length, claimed.filter((task) => task.owner === scene.node).length);
    },
  },
  {
    name: "claim against cancel: the task is either cancelled and not claimed, or claimed and asked to stop",
    async run(subject) {
      const scene = await Scenario.open(subject);
      for (let round = 0; round < ROUNDS; round++) {
        const { id } = await scene.create();
        const [claimed, reply] = await Promise.all([scene.claim([id]), scene.cancel(id)]);
        assert.equal(reply.outcome, claimed.length === 1 ? "cancel_requested" : "cancelled");
        assert.equal(await scene.state(id), claimed.length === 1 ? "running" : "cancelled");
      }
    },
  },
  {
    name: "a claim after an acknowledged cancel takes nothing, and a cancel after a claim only asks",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const one = await scene.create();
      const two = await scene.create();
      assert.equal((await scene.cancel(one.id)).outcome, "cancelled");
      assert.deepEqual(await scene.claim([one.id]), []);
      await scene.reclaim(two.id);
      assert.equal((await scene.cancel(two.id)).outcome, "cancel_requested");
    },
  },
  {
    name: "claim against reschedule: the task is either moved and not claimed, or claimed and not moved",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const { namespace } = scene;
      for (let round = 0; round < ROUNDS; round++) {
        const { id } = await scene.create();
        const changes = { due: { delayMs: 60_000 } };
        const [claimed, reply] = await Promise.all([
          scene.claim([id]),
          scene.store.edit({ namespace, id, changes, actor: "editor" }),
        ]);
        assert.equal(reply.outcome, claimed.length === 1 ? "state_conflict" : "changed");
        const task = await scene.get(id);
        assert.equal(task.state, claimed.length === 1 ? "running" : "scheduled");
        assert.equal(task.dueAt, claimed.length === 1 ? scene.now() : scene.now() + 60_000);
      }
    },
  },
  {
    name: "an old hint claims a rescheduled task only when it is due by its new time",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const { namespace } = scene;
      const { id } = await scene.create({ due: { delayMs: 100 } });
      await scene.store.edit({ namespace, id, changes: { due: { delayMs: 200 } }, actor: "editor" });
      await scene.advance(100);
      assert.deepEqual(await scene.claim([id]), []);
      await scene.advance(100);
      await scene.reclaim(id);
    },
  },
  {
    name: "refresh against claim: either the due time moves or the next cycle exists",
    async run(subject) {
      const scene = await Scenario.open(subject);
      for (let round = 0; round < ROUNDS; round++) {
        const key = `k${round}`;
        const { id } = await scene.create({ key, due: { delayMs: CLAIM_AHEAD_MS } });
        const refresh = scene.newTask({ key, onConflict: "refresh", due: { delayMs: 60_000 } });
        const [claimed, results] = await Promise.all([
          scene.claim([id], { claimAheadMs: CLAIM_AHEAD_MS }),
          scene.createAll(refresh),
        ]);
        const holder = await scene.holder(key);
        assert.equal(results[0]?.outcome, claimed.length === 1 ? "created" : "refreshed");
        assert.equal(holder?.id, claimed.length === 1 ? refresh.id : id);
        assert.deepEqual([holder?.state, holder?.dueAt], ["scheduled", scene.now() + 60_000]);
      }
    },
  },
  {
    name: "when creates with one key come at once and reject each other, one is written",
    async run(subject) {
      const scene = await Scenario.open(subject);
      for (let round = 0; round < ROUNDS; round++) {
        const key = `k${round}`;
        const replies = await Promise.all([1, 2, 3].map(() => scene.createAll(scene.newTask({ key }))));
        const outcomes = replies.flat().map((result) => result.outcome);
        assert.deepEqual(outcomes.sort(), ["created", "rejected", "rejected"]);
      }
    },
  },
  {
    name: "when creates with one key come at once and replace each other, one holds the key, and the others are cancelled",
    async run(subject) {
      const scene = await Scenario.open(subject);
      for (let round = 0; round < ROUNDS; round++) {
        const key = `k${round}`;
        const asked = [1, 2, 3].map(() => scene.newTask({ key, onConflict: "replace" }));
        await Promise.all(asked.map((task) => scene.createAll(task)));
        const states = await Promise.all(asked.map((task) => scene.state(task.id)));
        assert.deepEqual(states.sort(), ["cancelled", "cancelled", "scheduled"]);
        assert.equal((await scene.holder(key))?.state, "scheduled");
      }
    },
  },
  {
    name: "retry against create for one key: one of them gets it",
    async run(subject) {
      const scene = await Scenario.open(subject);
      for (let round = 0; round < ROUNDS; round++) {
        const key = `k${round}`;
        const execution = await scene.running({ key });
        await scene.succeed(execution);
        if (round % 2 === 1) await scene.store.archive(1_000);
        const [retried, [created]] = await Promise.all([
          scene.retry(execution.id),
          scene.createAll(scene.newTask({ key })),
        ]);
        assert.equal(retried.outcome, created?.outcome === "created" ? "key_conflict" : "scheduled");
        assert.equal(await scene.state(execution.id), created?.outcome === "created" ? "succeeded" : "scheduled");
      }
    },
  },
  {
    name: "retry against archive: the task is scheduled, once",
    async run(subject) {
      const scene = await Scenario.open(subject);
      for (let round = 0; round < ROUNDS; round++) {
        const execution = await scene.running();
        await scene.succeed(execution);
        const [reply] = await Promise.all([scene.retry(execution.id), scene.store.archive(1_000)]);
        assert.equal(reply.outcome, "scheduled");
        assert.equal(await scene.state(execution.id), "scheduled");
        assert.equal((await scene.reclaim(execution.id)).fence, 3);
      }
    },
  },
  {
    name: "two settlements of one execution at once: one counts",
    async run(subject) {
      const scene = await Scenario.open(subject);
      for (let round = 0; round < ROUNDS; round++) {
        const execution = await scene.running();
        const ref = { id: execution.id, owner: execution.owner, fence: execution.fence, startedAt: scene.now() };
        const replies = await Promise.all([
          scene.store.settle([{ ...ref, kind: "succeeded", result: null }]),
          scene.store.settle([{ ...ref, kind: "retry", delayMs: 0, error: "time-out" }]),
        ]);
        const counted = replies.flat().filter((reply) => reply !== null);
        assert.equal(counted.length, 1);
        assert.equal(await scene.state(execution.id), counted[0]?.state);
      }
    },
  },
  {
    name: "claim against verdict or drain: tasks claimed before it are known, and nothing is claimed after it",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const cluster = subject.cluster();
      const candidate = await scene.join();
      const leader = await cluster.takeTerm(candidate, await cluster.readTerm());
      assert.ok(leader);
      for (let round = 0; round < ROUNDS; round++) {
        const { id } = await scene.create();
        const owner = await scene.join();
        const beat = (await cluster.readBeats()).find((row) => row.bootId === owner)?.beat ?? NaN;
        const end = async (): Promise<DeathVerdict | boolean> =>
          round % 2 === 0 ? cluster.declareDead({ bootId: owner, beat, leader }) : cluster.startDraining(owner);
        const claim = { owner, ids: [id], claimAheadMs: 0 };
        const [reply, ended] = await Promise.all([scene.store.claim(claim), end()]);
        assert.ok(ended === "dead" || ended === true);
        assert.equal(reply.fenced, reply.tasks.length === 0);
        assert.equal((await scene.store.runningUnder(owner)).length, reply.tasks.length);
        assert.deepEqual({ ...(await scene.store.claim(claim)) }, { fenced: true, tasks: [] });
      }
    },
  },
];
