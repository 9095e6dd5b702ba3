import { describe, expect, test } from "@jest/globals";
import { createHash } from "node:crypto";
import { SystemRandom } from "../system/system-random.js";
import { isTaskId } from "./is-task-id.js";
import { newTaskId, SLOT_COUNT, slotOfId, slotOfKey } from "./task-id.js";

const random = new SystemRandom();

describe("task ids", () => {
  test("a task id is a UUIDv7 of its time and gives its slot back", () => {
    for (const slot of [0, 1, 255, 4_095]) {
      const id = newTaskId(1_763_719_200_123, slot, random);
      expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
      expect(Number.parseInt(id.replace("-", "").slice(0, 12), 16)).toBe(1_763_719_200_123);
      expect(slotOfId(id)).toBe(slot);
      expect(isTaskId(id)).toBe(true);
    }
  });

  test("task ids of one instant and slot differ", () => {
    const ids = new Set(Array.from({ length: 5_000 }, () => newTaskId(1, 7, random)));
    expect(ids.size).toBe(5_000);
  });

  test("a key's slot is the first 12 bits of SHA-256 over namespace, type and key", () => {
    const digest = createHash("sha256").update("default\0order.cancel\0ä-1").digest("hex");
    expect(slotOfKey("default", "order.cancel", "ä-1")).toBe(Number.parseInt(digest.slice(0, 3), 16));
    expect(slotOfKey("default", "order.cancel", "ä-1")).toBeLessThan(SLOT_COUNT);
  });

  test("names, types and keys cannot run into each other in a key's slot", () => {
    expect(slotOfKey("a", "bc", "d")).not.toBe(slotOfKey("ab", "c", "d"));
  });

  test("a text that is not a UUID is no task id", () => {
    expect(["", "1", "zzzzzzzz-0000-7000-8000-000000000000"].some(isTaskId)).toBe(false);
  });
});
