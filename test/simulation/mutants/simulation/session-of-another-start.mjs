// An observer takes a session for ended that it never saw, or that a restart of the server has ended: whoever is a
// little late with its first beat after an outage is dead.
import { replaceFunction } from "../replacing.mjs";

export const says = "a node without a session is gone, whether anybody has seen a session or not";
export const breaks = ["declared-dead-with-cause"];

export function plant() {
  replaceFunction("coordination/beats/failure-detector.js", "observe", (observe) => (detector, poll, options) => {
    const after = observe(detector, poll, options);
    if (!Array.isArray(poll.store)) return after;
    const held = new Map(poll.store.map(({ bootId, session }) => [bootId, session?.isHeld === true]));
    const judged = (seen) => ({
      ...seen,
      life: held.get(seen.bootId) === false ? "ended" : seen.life,
      silentMs: seen.silentMs ?? Infinity,
    });
    return { ...after, sightings: new Map([...after.sightings].map(([bootId, seen]) => [bootId, judged(seen)])) };
  });
}
