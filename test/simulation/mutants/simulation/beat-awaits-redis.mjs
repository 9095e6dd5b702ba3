// A beat waits until its keys are renewed, and their renewal waits for Redis for as long as it takes.
import { LoopHeartbeat } from "@tickwheel/coordination";
import { wait } from "@tickwheel/core";
import { replaceMethod } from "../replacing.mjs";

export const says = "a beat waits for a hung Redis";
export const breaks = ["declared-dead-with-cause"];

const RETRY_MS = 50;

export function plant() {
  const announcements = new WeakMap();
  replaceMethod(
    LoopHeartbeat,
    "announce",
    () =>
      function (identity, snapshot, beat) {
        announcements.set(this, { ...identity, ...snapshot, beat });
      },
  );
  replaceMethod(
    LoopHeartbeat,
    "beatOnce",
    (beatOnce) =>
      async function (beating) {
        const isAlive = await beatOnce.call(this, beating);
        await renewKeys(this.ports, announcements.get(this), beating.signal);
        announcements.delete(this);
        return isAlive;
      },
  );
}

async function renewKeys({ coordination, clock }, announcement, signal) {
  while (announcement && !signal.aborted) {
    await coordination.announce(announcement);
    if (coordination.health?.().available !== false) return;
    await wait(clock, RETRY_MS, signal);
  }
}
