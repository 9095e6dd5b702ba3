// An observer goes on counting while Postgres does not answer, or takes no beats of its own: everybody grows old though
// nobody could beat.
import { replaceFunction } from "../replacing.mjs";

export const says = "an observer's time runs on through an outage of Postgres";
export const breaks = ["declared-dead-with-cause"];

const MAX_POLL_STEP_MS = 500;

export function plant() {
  replaceFunction("coordination/beats/failure-detector.js", "observe", (observe) => (detector, poll, options) => {
    if (poll.store !== "failed" && poll.store !== "unfit") return observe(detector, poll, options);
    const stepMs = Math.min(poll.sinceLastMs, MAX_POLL_STEP_MS);
    const older = (seen) => ({ ...seen, ageMs: seen.ageMs + stepMs });
    return {
      sightings: new Map([...detector.sightings].map(([bootId, seen]) => [bootId, older(seen)])),
      storeAgeMs: detector.storeAgeMs + poll.sinceLastMs,
    };
  });
}
