// A leader takes a dead node's tasks back once, when it first sees them: what was locked just then, or was not written,
// stays.
import { MemoryTaskStore } from "@tickwheel/testing";
import { replaceMethod } from "../replacing.mjs";

export const says = "the leader reaps once instead of for ever";
export const breaks = ["rest-without-running-row"];

export function plant() {
  const reaped = new WeakMap();
  replaceMethod(
    MemoryTaskStore,
    "deadOwners",
    (deadOwners) =>
      async function () {
        const before = reaped.get(this) ?? [];
        const owners = await deadOwners.call(this);
        reaped.set(this, [...before, ...owners]);
        return owners.filter((owner) => !before.includes(owner));
      },
  );
}
