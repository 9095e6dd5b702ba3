import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { readMessage, type TaskHint } from "@tickwheel/core";
import type { PostgresStores } from "@tickwheel/postgres-store";
import { eventually } from "../support/eventually.js";
import { joinNode, lead, Scene } from "./postgres-store.scene.js";

let scene: Scene;

beforeAll(async () => {
  scene = await Scene.start();
});
afterAll(() => scene?.stop());

interface Listener extends PostgresStores {
  bootId: string;
  heard: unknown[];
}

async function listener(bootId: string): Promise<Listener> {
  const stores = scene.open({ size: 2 });
  const heard: unknown[] = [];
  await stores.coordination.subscribe(bootId, (message) => void heard.push(message));
  await stores.coordination.start();
  return { ...stores, bootId, heard };
}

const hint: TaskHint = { id: "01a1fde4-720b-7007-b634-6422c5ec4464", typeId: 1, version: 1, dueAt: 1, priority: 5 };

describe("messages over LISTEN and NOTIFY", () => {
  test("messages over NOTIFY to several nodes at the same moment are one notification", async () => {
    const nodes = [await listener("11"), await listener("12")];
    const raw = await scene.client();
    let notifications = 0;
    raw.on("notification", () => notifications++);
    await raw.query("LISTEN tickwheel_tickwheel");
    const [sender] = nodes;
    const messages = nodes.map(({ bootId }) => sender!.coordination.send(bootId, { kind: "hints", hints: [hint] }));
    expect(await Promise.all(messages)).toEqual([true, true]);
    for (const { heard } of nodes) await eventually(() => expect(heard).toHaveLength(1));
    await eventually(() => expect(notifications).toBe(1));
  });

  test("a listener whose connection is broken reports it, connects again, and then looks by itself", async () => {
    const one = await listener("4");
    expect(one.coordination.health()).toEqual({ available: true, detail: null });
    const other = await scene.client();
    await other.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%'");
    await eventually(() => expect(one.coordination.health().detail).toContain("57P01"));
    await eventually(() => expect(one.heard).toEqual([{ kind: "load" }]));
    expect(one.coordination.health().available).toBe(true);
  });

  test("a text of a stranger on the channel is no message", async () => {
    const one = await listener("5");
    const other = await scene.client();
    for (const payload of ["", "no json", "null", '"text"', '{"to":"5"}']) {
      await other.query("SELECT pg_notify('tickwheel_tickwheel', $1)", [payload]);
    }
    await one.coordination.send("5", { kind: "load" });
    await eventually(() => expect(one.heard).toHaveLength(6));
    expect(one.heard.map(readMessage)).toEqual([null, null, null, null, null, { kind: "load" }]);
  });

  test("a listener without a server starts, reports why it receives nothing, sends nothing, and stops", async () => {
    const { coordination } = scene.open({ url: "postgres://nobody@127.0.0.1:1/none" });
    await coordination.start();
    expect(coordination.health()).toMatchObject({
      available: false,
      detail: expect.stringContaining("ECONNREFUSED") as unknown,
    });
    expect(await coordination.send("all", { kind: "load" })).toBe(false);
    await coordination.stop();
    await coordination.stop();
  });

  test("coordination stopped before it was started, then started twice and stopped meanwhile, ends stopped", async () => {
    const { coordination } = scene.open();
    await coordination.stop();
    await Promise.all([coordination.start(), coordination.start(), coordination.stop()]);
    await coordination.stop();
    expect(coordination.health()).toEqual({ available: false, detail: "stopped" });
    await coordination.start();
    expect(coordination.health().available).toBe(true);
  });
});

describe("a leader's transactions", () => {
  test("a leader that is deposed while its transaction is open publishes nothing", async () => {
    const stores = scene.open();
    const leader = await lead(stores, await joinNode(stores));
    const before = await stores.cluster.readView();
    const candidate = await scene.client();
    const observer = await scene.client();
    await candidate.query("BEGIN; UPDATE tickwheel.term SET term = term + 1, holder = 77, beat = 0");
    const publishing = stores.cluster.publishView([], leader);
    const waiting = "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%FOR SHARE%'";
    await eventually(async () => expect((await observer.query(waiting)).rows).toHaveLength(1));
    await candidate.query("COMMIT");
    expect(await publishing).toBeNull();
    expect(await stores.cluster.readView()).toEqual(before);
  });
});
