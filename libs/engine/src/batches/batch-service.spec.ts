import { expect, test } from "@jest/globals";
import type { BatchStore, CreateBatch } from "@tickwheel/core";
import { SeededRandom } from "@tickwheel/testing";
import { BatchService } from "./batch-service.js";

const NOW = 1_800_000_000_000;

test("a batch that a node makes before it knows the database's time has its deadline by that time", async () => {
  const made: CreateBatch[] = [];
  const store = {
    create: (request: CreateBatch) => {
      made.push(request);
      return Promise.resolve({ outcome: "created", batch: {}, tasks: [] });
    },
  } as unknown as BatchStore;
  let isSet = false;
  const service = new BatchService({
    store,
    service: { drafts: { draftEach: () => Promise.resolve([]) }, announce: () => undefined } as never,
    dbClock: {
      ensureSet: () => {
        isSet = true;
        return Promise.resolve();
      },
      // What the process's own clock shows: it counts from the start.
      nowMs: () => (isSet ? NOW : 40),
    },
    random: new SeededRandom(1),
    ownership: () => {
      throw new Error("no member needs a slot here");
    },
    limits: { open: 10, members: 10 },
    wake: () => undefined,
  });
  await service.create({
    namespace: "n",
    name: "b",
    tasks: [],
    shards: null,
    onComplete: null,
    onSuccess: null,
    deadline: { delayMs: 1_000 },
    failFast: false,
    retryDead: false,
    seal: false,
    actor: "test",
  });
  expect(made.map(({ batch }) => batch.deadlineAt)).toEqual([NOW + 1_000]);
});
