import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { type ClusterEventDraft, SystemClock, SystemRandom } from "@tickwheel/core";
import { ClusterNode } from "@tickwheel/coordination";
import type { PostgresStores } from "@tickwheel/postgres-store";
import { RecordingTelemetry } from "@tickwheel/testing";
import { eventually } from "../support/eventually.js";
import { Scene } from "./postgres-store.scene.js";

const OPTIONS = {
  heartbeatIntervalMs: 200,
  livenessPollMs: 50,
  suspectAfterBeats: 3,
  selfFenceAfterBeats: 5,
  deadAfterBeats: 7,
  leaderTtlMs: 600,
};

let scene: Scene;
beforeAll(async () => void (scene = await Scene.start()));
afterAll(() => scene?.stop());

function nodeOn(stores: PostgresStores, label: string): ClusterNode {
  const { cluster: store, coordination, events } = stores;
  const add = (event: ClusterEventDraft): void => void events.append([{ ...event, agoMs: 0 }]).catch(() => undefined);
  const ports = { clock: new SystemClock(), random: new SystemRandom(), telemetry: new RecordingTelemetry() };
  return new ClusterNode(
    { ...ports, store, coordination, events: { add } },
    { label, version: "1.0.0", roles: ["engine"], typeIds: [], options: OPTIONS },
  );
}

test("the life of a node that leads and then falls silent is told in order", async () => {
  const stores = scene.open();
  const others = scene.open();
  const leading = nodeOn(stores, "10.0.0.1:1");
  const heir = nodeOn(others, "10.0.0.2:2");
  await leading.start();
  await eventually(() => expect(leading.leadership()).not.toBeNull());
  await heir.start();
  const bootId = leading.bootId!;
  const nodes = async (): Promise<number | undefined> => (await others.cluster.readView())?.nodes.length;
  await eventually(async () => expect(await nodes()).toBe(2));
  // Nothing of it reaches Postgres from here on.
  await stores.close();
  const told = async (): Promise<string[]> =>
    (await others.events.page({ node: { bootId }, limit: 200 })).events.map(({ kind }) => kind).reverse();
  await eventually(async () => expect(await told()).toContain("DEAD"));
  const life = (await told()).filter((kind) => kind !== "VIEW");
  expect(life).toEqual(["JOINED", "TERM", "SUSPECT", "DEAD"]);
  const [dead] = (await others.events.page({ kinds: ["DEAD"], limit: 1 })).events;
  expect(dead?.facts).toMatchObject({ led: true, missedBeats: expect.any(Number), term: heir.leadership()!.term });
  const terms = (await others.events.page({ kinds: ["TERM"], limit: 9 })).events.map(({ label }) => label);
  expect(terms).toEqual(["10.0.0.2:2", "10.0.0.1:1"]);
  await Promise.all([leading.stop(), heir.stop()]);
});
