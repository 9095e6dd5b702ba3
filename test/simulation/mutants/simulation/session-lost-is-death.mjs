// A node whose session has ended counts as dead although Redis still hears of it: who is only cut off from Postgres for
// two seconds has its tasks run a second time.
import { replaceFunction } from "../replacing.mjs";

export const says = "a lost session and a late beat are death, whatever Redis hears";
export const breaks = ["declared-dead-with-cause"];

export function plant() {
  replaceFunction("coordination/beats/failure-detector.js", "observe", (observe) => (detector, poll, options) => {
    const after = observe(detector, poll, options);
    const unheard = (seen) => ({ ...seen, silentMs: Infinity });
    return { ...after, sightings: new Map([...after.sightings].map(([bootId, seen]) => [bootId, unheard(seen)])) };
  });
}
