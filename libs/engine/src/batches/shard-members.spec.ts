import { describe, expect, test } from "@jest/globals";
import { RendezvousOwnership } from "@tickwheel/coordination";
import { MAX_SHARDED_BYTES, type NewTask, SLOT_COUNT, slotOfId } from "@tickwheel/core";
import { SeededRandom } from "@tickwheel/testing";
import { shardMembers } from "./shard-members.js";

const TYPE = 3;
const template = { id: "", typeId: TYPE, priority: 2, payload: "{}" } as NewTask;
const NODES = ["11", "12", "13"];

function partsOf(runners: readonly string[]) {
  const nodes = NODES.map((bootId) => ({ bootId, label: bootId, typeIds: runners.includes(bootId) ? [TYPE] : [] }));
  const ownership = new RendezvousOwnership({ number: 1, nodes } as never, null);
  return { ownership: () => ownership, random: new SeededRandom(1), nowMs: () => 1_000 };
}

describe("the shards of a batch", () => {
  test("the shards of a batch are equal but for their ids and places, and spread over the slots", () => {
    const members = shardMembers(template, 8, partsOf(NODES));
    expect(members.map(({ shard }) => shard)).toEqual(Array.from({ length: 8 }, (_, index) => ({ index, total: 8 })));
    expect(members.every(({ typeId, priority }) => typeId === TYPE && priority === 2)).toBe(true);
    const slots = members.map(({ id }) => slotOfId(id)).toSorted((one, other) => one - other);
    const gaps = slots.map((slot, index) => (slots[(index + 1) % 8]! - slot + SLOT_COUNT) % SLOT_COUNT);
    expect(gaps.every((gap) => gap === SLOT_COUNT / 8)).toBe(true);
    expect(new Set(members.map(({ id }) => id)).size).toBe(8);
  });

  test("the shards of a batch have payloads of at most 16 MiB together", () => {
    const ofBytes = (bytes: number): NewTask => ({ ...template, payload: `"${"x".repeat(bytes - 2)}"` as never });
    expect(shardMembers(ofBytes(MAX_SHARDED_BYTES / 512), 512, partsOf(NODES))).toHaveLength(512);
    const refused = () => shardMembers(ofBytes(MAX_SHARDED_BYTES / 512), 513, partsOf(NODES));
    expect(refused).toThrow(/tasks\[0\]\.payload is 32768 bytes long; with 513 shards/);
  });

  test("a batch's shards by node are one for each node that runs the type, in a slot that this node looks after", () => {
    const parts = partsOf(["11", "13"]);
    const members = shardMembers(template, "nodes", parts);
    expect(members.map(({ shard }) => shard)).toEqual([
      { index: 0, total: 2 },
      { index: 1, total: 2 },
    ]);
    const owners = members.map(({ id }) => parts.ownership().ownerOf(TYPE, slotOfId(id)));
    expect(new Set(owners)).toEqual(new Set(["11", "13"]));
  });

  test("a batch's shards by node are one where no node runs the type", () => {
    expect(shardMembers(template, "nodes", partsOf([])).map(({ shard }) => shard)).toEqual([{ index: 0, total: 1 }]);
  });
});
