import { describe, expect, test } from "@jest/globals";
import { FIRST_VITALS, type NodeBeat } from "@tickwheel/core";
import {
  deadOf,
  type Detector,
  isFit,
  leavingOf,
  needsStore,
  NOBODY_SEEN,
  observe,
  type Poll,
  suspectsOf,
  webhooksAreSigned,
} from "./failure-detector.js";

const OPTIONS = { heartbeatIntervalMs: 1_000, suspectAfterBeats: 3, deadAfterBeats: 7 };
const POLL_MS = 250;

function beatOf(bootId: string, beat: number, leaving = false): NodeBeat {
  return { bootId, label: `label-${bootId}`, beat, vitals: { ...FIRST_VITALS, leaving } };
}

/** Runs `count` polls with the given readings. */
function polled(detector: Detector, count: number, poll: Partial<Poll>): Detector {
  let after = detector;
  for (let index = 0; index < count; index++) {
    after = observe(after, { medium: null, store: null, sinceLastMs: POLL_MS, ...poll }, OPTIONS);
  }
  return after;
}

const seen = polled(NOBODY_SEEN, 1, { store: [beatOf("1", 5), beatOf("2", 5)] });

describe("whether webhooks are signed", () => {
  const signing = (bootId: string): NodeBeat => ({
    ...beatOf(bootId, 5),
    vitals: { ...FIRST_VITALS, signsWebhooks: true },
  });
  const withSigner = polled(NOBODY_SEEN, 1, { store: [beatOf("1", 5), signing("2")] });

  test("webhooks are held for signed while a node that signs is there, silent or not, and not afterwards", () => {
    expect(webhooksAreSigned(seen)).toBe(false);
    expect(webhooksAreSigned(withSigner)).toBe(true);
    const silent = polled(withSigner, 40, { store: [beatOf("1", 6), signing("2")] });
    expect(webhooksAreSigned(silent)).toBe(true);
    expect(webhooksAreSigned(polled(silent, 1, { store: [beatOf("1", 7)] }))).toBe(false);
  });

  test("whether webhooks are signed keeps its value while Postgres does not answer, and is true before the first answer", () => {
    expect(webhooksAreSigned(polled(withSigner, 1, { store: "failed" }))).toBe(true);
    expect(webhooksAreSigned(polled(withSigner, 1, { store: "unfit" }))).toBe(true);
    expect(webhooksAreSigned(polled(NOBODY_SEEN, 1, { store: "failed" }))).toBe(true);
    expect(webhooksAreSigned(polled(NOBODY_SEEN, 1, { medium: [beatOf("1", 5)] }))).toBe(true);
  });

  test("whether webhooks are signed is read from Postgres alone, because anybody may write to the medium", () => {
    const forged = { ...signing("1"), beat: 9 };
    expect(webhooksAreSigned(polled(seen, 1, { medium: [forged, signing("3")] }))).toBe(false);
    expect(webhooksAreSigned(polled(withSigner, 1, { medium: [beatOf("2", 9)] }))).toBe(true);
  });
});

describe("the failure detector", () => {
  test("a beat that stands still is suspect after 3 intervals and dead after 7", () => {
    const still = [beatOf("1", 5)];
    expect(suspectsOf(polled(seen, 11, { store: still }), OPTIONS)).toEqual(new Set());
    expect(suspectsOf(polled(seen, 12, { store: still }), OPTIONS)).toEqual(new Set(["1"]));
    expect(deadOf(polled(seen, 27, { store: still }), OPTIONS)).toEqual(new Set());
    expect(deadOf(polled(seen, 28, { store: still }), OPTIONS)).toEqual(new Set(["1"]));
  });

  test("a node that beats again has age zero again", () => {
    const late = polled(seen, 27, { store: [beatOf("1", 5)] });
    const again = polled(late, 1, { store: [beatOf("1", 6)] });
    expect(suspectsOf(again, OPTIONS)).toEqual(new Set());
    expect(again.sightings.get("1")?.ageMs).toBe(0);
  });

  test("a pause of the observer adds at most 500 ms to an age", () => {
    const paused = polled(seen, 1, { store: [beatOf("1", 5)], sinceLastMs: 60_000 });
    expect(paused.sightings.get("1")?.ageMs).toBe(500);
  });

  test("a pause of the observer does not age a node that has beaten since", () => {
    const paused = polled(seen, 1, { store: [beatOf("1", 65)], sinceLastMs: 60_000 });
    expect(paused.sightings.get("1")?.ageMs).toBe(0);
  });

  test("while Postgres does not answer, ages neither grow nor shrink", () => {
    const late = polled(seen, 8, { store: [beatOf("1", 5)] });
    expect(polled(late, 100, { store: "failed" }).sightings.get("1")?.ageMs).toBe(8 * POLL_MS);
  });

  test("a dead node is found even if every second reading fails", () => {
    let detector = seen;
    for (let poll = 0; poll < 28; poll++) {
      detector = polled(polled(detector, 1, { store: "failed" }), 1, { store: [beatOf("1", 5)] });
    }
    expect(deadOf(detector, OPTIONS)).toEqual(new Set(["1"]));
  });

  test("while Postgres rejects our own beats no node's age grows, and nodes not yet suspect restart at zero", () => {
    const still = [beatOf("1", 5)];
    const suspect = polled(seen, 13, { store: still });
    const late = polled(seen, 8, { store: still });
    expect(polled(suspect, 100, { store: "unfit" }).sightings.get("1")?.ageMs).toBe(13 * POLL_MS);
    expect(polled(late, 100, { store: "unfit" }).sightings.get("1")?.ageMs).toBe(0);
  });

  test("a beat that went back counts as moved: a promoted standby has lost some", () => {
    const late = polled(seen, 11, { store: [beatOf("1", 5)] });
    const promoted = polled(late, 1, { store: [beatOf("1", 3)], medium: [beatOf("1", 5)] });
    expect(promoted.sightings.get("1")).toMatchObject({ beat: 3, ageMs: 0 });
    expect(polled(promoted, 4, { store: [beatOf("1", 3)] }).sightings.get("1")).toMatchObject({
      beat: 3,
      ageMs: 1_000,
    });
    expect(polled(promoted, 1, { store: [beatOf("1", 4)] }).sightings.get("1")).toMatchObject({ beat: 4, ageMs: 0 });
  });

  test("a beat that only Redis still has, after a promoted standby lost it, resets no age", () => {
    const medium = [beatOf("1", 5)];
    let detector = polled(seen, 1, { medium, store: [beatOf("1", 3)] });
    for (let poll = 0; poll < 28; poll++) {
      const store = needsStore(detector, { medium, sinceLastMs: POLL_MS }, OPTIONS) ? [beatOf("1", 3)] : null;
      detector = polled(detector, 1, { medium, store });
    }
    expect(deadOf(detector, OPTIONS)).toEqual(new Set(["1"]));
    expect(polled(detector, 1, { medium: [beatOf("1", 6)] }).sightings.get("1")).toMatchObject({ beat: 6, ageMs: 0 });
  });

  test("a beat that Redis showed first does not reset the age again when Postgres shows it", () => {
    const ahead = polled(seen, 3, { medium: [beatOf("1", 6), beatOf("2", 6)] });
    expect(polled(ahead, 1, { store: [beatOf("1", 6)] }).sightings.get("1")?.ageMs).toBe(3 * POLL_MS);
  });

  test("forged beats far ahead in Redis do not age nodes whose beats move in Postgres", () => {
    let detector = seen;
    for (let poll = 0; poll < 60; poll++) {
      const beat = 5 + Math.floor((poll * POLL_MS) / 1_000);
      const isAsked = needsStore(detector, { medium: [], sinceLastMs: POLL_MS }, OPTIONS);
      const store = isAsked ? [beatOf("1", beat)] : null;
      detector = polled(detector, 1, { store, medium: [beatOf("1", isAsked ? 1_000_000 + poll : beat)] });
      expect([suspectsOf(detector, OPTIONS), deadOf(detector, OPTIONS)]).toEqual([new Set(), new Set()]);
    }
  });

  test("a beat that reached Redis late and is not in Postgres resets no age", () => {
    const late = polled(seen, 5, { store: [beatOf("1", 5)] });
    const medium = [beatOf("1", 6)];
    expect(polled(late, 1, { medium }).sightings.get("1")?.ageMs).toBe(0);
    const asked = polled(late, 2, { medium, store: [beatOf("1", 5)] });
    expect(asked.sightings.get("1")?.ageMs).toBe(7 * POLL_MS);
    let detector = late;
    for (let poll = 5; poll < 28; poll++) {
      const store = needsStore(detector, { medium, sinceLastMs: POLL_MS }, OPTIONS) ? [beatOf("1", 5)] : null;
      detector = polled(detector, 1, { medium, store });
    }
    expect(deadOf(detector, OPTIONS)).toEqual(new Set(["1"]));
  });

  test("the medium alone makes no node suspect, and Postgres is asked in time", () => {
    const medium = [beatOf("1", 5), beatOf("2", 5)];
    expect(suspectsOf(polled(seen, 1_000, { medium }), OPTIONS)).toEqual(new Set());
    const justRead = (detector: Detector): Detector => ({ ...detector, storeAgeMs: 0 });
    expect(needsStore(justRead(polled(seen, 5, { medium })), { medium, sinceLastMs: POLL_MS }, OPTIONS)).toBe(false);
    expect(needsStore(justRead(polled(seen, 6, { medium })), { medium, sinceLastMs: POLL_MS }, OPTIONS)).toBe(true);
    expect(needsStore(seen, { medium: null, sinceLastMs: POLL_MS }, OPTIONS)).toBe(true);
  });

  test("Postgres is asked once an interval, whatever the medium says", () => {
    const medium = [beatOf("1", 6), beatOf("2", 6)];
    expect(needsStore(polled(seen, 2, { medium }), { medium, sinceLastMs: POLL_MS }, OPTIONS)).toBe(false);
    expect(needsStore(polled(seen, 3, { medium }), { medium, sinceLastMs: POLL_MS }, OPTIONS)).toBe(true);
  });

  test("a node that was never in Redis is seen, and found dead", () => {
    let detector: Detector = NOBODY_SEEN;
    for (let poll = 0; poll < 40; poll++) {
      const medium = [beatOf("1", poll)];
      const store = needsStore(detector, { medium, sinceLastMs: POLL_MS }, OPTIONS)
        ? [beatOf("1", poll), beatOf("9", 0)]
        : null;
      detector = polled(detector, 1, { medium, store });
    }
    expect(deadOf(detector, OPTIONS)).toEqual(new Set(["9"]));
  });

  test("a node whose beat stands still in Redis but moves in Postgres is alive", () => {
    const medium = [beatOf("1", 5)];
    const late = polled(seen, 8, { medium });
    expect(polled(late, 1, { medium, store: [beatOf("1", 9)] }).sightings.get("1")).toMatchObject({
      beat: 9,
      ageMs: 0,
    });
  });

  test("a node that Redis lost keeps ageing until Postgres says that it is gone", () => {
    const forgotten = polled(seen, 4, { medium: [beatOf("2", 5)] });
    expect(forgotten.sightings.get("1")?.ageMs).toBe(1_000);
    expect([...polled(forgotten, 1, { store: [beatOf("2", 6)] }).sightings.keys()]).toEqual(["2"]);
  });

  test("another cluster's node in Redis is ignored", () => {
    const after = polled(seen, 1, { medium: [beatOf("99", 1)], store: [beatOf("1", 6)] });
    expect([...after.sightings.keys()]).toEqual(["1"]);
  });

  test("a request to be left out is known from the node's newest beat", () => {
    const after = polled(seen, 1, { medium: [beatOf("1", 6, true)], store: [beatOf("1", 5), beatOf("2", 5)] });
    expect(leavingOf(after)).toEqual(new Set(["1"]));
  });
});

describe("a node whose session has ended", () => {
  type Life = { isHeld: boolean; server?: string };
  const told = (bootId: string, beat: number, { isHeld, server = "1" }: Life): NodeBeat => ({
    ...beatOf(bootId, beat),
    session: { isHeld, server },
  });
  const announced = (bootId: string, beat: number, pulse: number): NodeBeat => ({ ...beatOf(bootId, beat), pulse });
  const HELD = { isHeld: true };
  const GONE = { isHeld: false };
  /** Two nodes with their sessions, both heard of in the medium. */
  const alive = polled(NOBODY_SEEN, 1, {
    store: [told("1", 5, HELD), told("2", 5, HELD)],
    medium: [announced("1", 5, 7), announced("2", 5, 7)],
  });
  const silentMedium = [announced("1", 5, 7), announced("2", 5, 7)];
  const gone = (detector: Detector): Set<string> => deadOf(detector, OPTIONS);

  test("a node whose session ended is dead when neither Postgres nor the medium heard of it for two intervals, and no sooner", () => {
    const poll = { store: [told("1", 5, GONE), told("2", 5, HELD)], medium: silentMedium };
    expect(gone(polled(alive, 7, poll))).toEqual(new Set());
    expect(gone(polled(alive, 8, poll))).toEqual(new Set(["1"]));
    expect(suspectsOf(polled(alive, 8, poll), OPTIONS)).toEqual(new Set(["1"]));
  });

  test("a node whose session has ended is alive while it beats, or has a session again", () => {
    let detector = alive;
    for (let beat = 6; beat < 20; beat++)
      detector = polled(detector, 4, { store: [told("1", beat, GONE)], medium: silentMedium });
    expect(gone(detector)).toEqual(new Set());
    const late = polled(alive, 7, { store: [told("1", 5, GONE)], medium: silentMedium });
    expect(gone(polled(late, 20, { store: [told("1", 5, HELD)], medium: silentMedium }))).toEqual(new Set());
  });

  test("a node whose session has ended is alive while the medium hears of it: it is cut off from Postgres alone", () => {
    let detector = alive;
    for (let pulse = 8; pulse < 14; pulse++) {
      const medium = [announced("1", 5, pulse)];
      detector = polled(detector, 4, { store: [told("1", 5, GONE)], medium });
      if (pulse < 13) expect(gone(detector)).toEqual(new Set());
    }
    expect(gone(polled(detector, 5, { store: [told("1", 5, GONE)], medium: [] }))).toEqual(new Set(["1"]));
  });

  test.each<[string, Partial<Poll>]>([
    ["there is no medium", { medium: null }],
    ["the medium has never heard of it", { medium: [] }],
  ])("a node whose session has ended is judged by its beats alone if %s", (_, { medium }) => {
    const start = polled(NOBODY_SEEN, 1, { store: [told("1", 5, HELD)], medium: medium! });
    const poll = { store: [told("1", 5, GONE)], medium: medium! };
    expect(gone(polled(start, 27, poll))).toEqual(new Set());
    expect(gone(polled(start, 28, poll))).toEqual(new Set(["1"]));
  });

  test("a node whose session has ended is judged by its beats alone if nobody has seen the session before", () => {
    const start = polled(NOBODY_SEEN, 1, { store: [told("1", 5, GONE)], medium: silentMedium });
    expect(gone(polled(start, 27, { store: [told("1", 5, GONE)], medium: silentMedium }))).toEqual(new Set());
  });

  test.each<[string, Partial<Poll>]>([
    ["Postgres has not answered meanwhile", { store: "failed" }],
    ["our own beats have not got through meanwhile", { store: "unfit" }],
    ["the server was started anew: that ended all sessions", { store: [told("1", 5, { isHeld: false, server: "2" })] }],
  ])("a node whose session has ended is judged by its beats alone also if %s", (_, between) => {
    const server = Array.isArray(between.store) ? "2" : "1";
    const later = polled(alive, 1, { medium: silentMedium, ...between });
    const poll = { store: [told("1", 5, { isHeld: false, server })], medium: silentMedium };
    expect(gone(polled(later, 20, poll))).toEqual(new Set());
  });

  test("the death of a node whose session has ended is not hurried by readings of the medium alone", () => {
    const once = polled(alive, 1, { store: [told("1", 5, GONE)], medium: silentMedium });
    expect(gone(polled(once, 1, { medium: [announced("1", 6, 8)] }))).toEqual(new Set());
    const again = polled(once, 5, { medium: [announced("1", 6, 8)] });
    expect(gone(again)).toEqual(new Set());
  });
});

test("an observer judges only while its own beats get through", () => {
  expect([0, 1_999, 2_000].map((ageMs) => isFit(ageMs, OPTIONS))).toEqual([true, true, false]);
});
