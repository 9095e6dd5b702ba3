import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { FIRST_VITALS, type NodeSession } from "@tickwheel/core";
import type { PostgresStores } from "@tickwheel/postgres-store";
import { eventually } from "../support/eventually.js";
import { joinNode, Scene } from "../integration/postgres-store.scene.js";

let scene: Scene;
let observer: PostgresStores;

beforeAll(async () => {
  scene = await Scene.start();
  observer = scene.open();
});
afterAll(() => scene?.stop());

async function sessionOf(bootId: string): Promise<NodeSession> {
  const beat = (await observer.cluster.readBeats()).find((seen) => seen.bootId === bootId);
  return beat!.session!;
}

async function isHeld(bootId: string): Promise<boolean> {
  return (await sessionOf(bootId)).isHeld;
}

test("a node's first beat takes its lock, further ones leave it, and the lock goes with the session", async () => {
  const node = scene.open({ size: 1 });
  const bootId = await joinNode(node);
  expect(await isHeld(bootId)).toBe(false);
  for (let beat = 1; beat <= 3; beat++) {
    expect((await node.cluster.beat(bootId, FIRST_VITALS))?.beat).toBe(beat);
    expect(await isHeld(bootId)).toBe(true);
  }
  const client = await scene.client();
  const { rows } = await client.query("SELECT count(*)::int AS count FROM pg_locks WHERE locktype = 'advisory'");
  expect(rows).toEqual([{ count: 1 }]);
  await node.close();
  await eventually(async () => expect(await isHeld(bootId)).toBe(false));
});

test("a session that the server ends is replaced by the next beat, and no other node's lock is meant", async () => {
  const one = scene.open({ size: 1 });
  const two = scene.open({ size: 1 });
  const first = await joinNode(one);
  const second = await joinNode(two);
  await one.cluster.beat(first, FIRST_VITALS);
  await two.cluster.beat(second, FIRST_VITALS);
  const client = await scene.client();
  const ended = () =>
    client.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1", [first]);
  await ended();
  await eventually(async () => expect(await isHeld(first)).toBe(false));
  expect(await isHeld(second)).toBe(true);
  await eventually(async () => expect(await one.cluster.beat(first, FIRST_VITALS)).not.toBeNull());
  expect([await isHeld(first), await isHeld(second)]).toEqual([true, true]);
});

test("one of several sessions of a node holds the node's lock, and when it ends the next beat of another session takes it", async () => {
  const one = scene.open({ size: 1 });
  const two = scene.open({ size: 1 });
  const bootId = await joinNode(one);
  await one.cluster.beat(bootId, FIRST_VITALS);
  await two.cluster.beat(bootId, FIRST_VITALS);
  await one.close();
  await eventually(async () => expect(await isHeld(bootId)).toBe(false));
  await two.cluster.beat(bootId, FIRST_VITALS);
  expect(await isHeld(bootId)).toBe(true);
});

test("a node that was declared dead takes no lock, and all sessions tell the same start of the server", async () => {
  const node = scene.open({ size: 1 });
  const bootId = await joinNode(node);
  await node.cluster.leave(bootId);
  expect(await node.cluster.beat(bootId, FIRST_VITALS)).toBeNull();
  const client = await scene.client();
  const held = await client.query(
    "SELECT FROM pg_locks WHERE locktype = 'advisory' AND objid = ($1::bigint & 4294967295)::oid",
    [bootId],
  );
  expect(held.rowCount).toBe(0);
  const servers = new Set((await observer.cluster.readBeats()).map(({ session }) => session!.server));
  expect(servers.size).toBe(1);
});
