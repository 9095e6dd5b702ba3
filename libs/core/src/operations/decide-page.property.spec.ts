import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import {
  added,
  afterPage,
  afterUndo,
  endsAbout,
  FAILING_AT_LEAST,
  isFailing,
  LOCKED_ROUNDS,
  MOST_LOCKED,
  pageSizeOf,
  paceOf,
  partOfRound,
  withPace,
} from "./decide-page.js";
import { type OperationOptions, PACE_PAGES, type PagePace, type TaskOperation } from "./operation.js";

const OPTIONS: OperationOptions = {
  includeOverdue: false,
  move: null,
  tag: null,
  rate: null,
  stopWhenFailing: null,
  atMost: 1_000_000,
};
const MADE = { changed: 0, passed: {}, lockedIds: [], isLast: false, isMore: false, tookMs: 30 };
const START = { round: 0, lockedIds: [] };
const ids = (count: number, from = 0) => Array.from({ length: count }, (_, at) => `id-${from + at}`);

describe("the size of a page", () => {
  test("an operation's page is of at least one, and never more than is allowed, than a second's share, or than a page holds", () => {
    const cases = fc.record({
      rate: fc.option(fc.double({ min: 0.01, max: 10_000, noNaN: true })),
      atMost: fc.integer({ min: 1, max: 1_000 }),
      share: fc.double({ min: 0, max: 1, noNaN: true }),
      pageSize: fc.integer({ min: 1, max: 1_000 }),
    });
    fc.assert(
      fc.property(cases, ({ rate, atMost, share, pageSize }) => {
        const changed = Math.min(Math.floor(atMost * share), atMost - 1);
        const size = pageSizeOf({ options: { ...OPTIONS, rate, atMost }, changed }, pageSize);
        expect(size).toBeGreaterThanOrEqual(1);
        expect(pageSizeOf({ options: { ...OPTIONS, rate, atMost }, changed: atMost }, pageSize)).toBe(0);
        expect(size).toBeLessThanOrEqual(Math.min(pageSize, atMost - changed));
        if (rate !== null) expect(size).toBeLessThanOrEqual(Math.max(1, Math.ceil(rate)));
      }),
    );
  });
});

describe("behind a page", () => {
  const operation = { options: OPTIONS, changed: 0 };

  test("an operation rests behind a page as long as the page took, or by its rate", () => {
    expect(afterPage(operation, START, { ...MADE, changed: 5 })).toMatchObject({ restMs: 30, ends: "running" });
    const paced = { ...operation, options: { ...OPTIONS, rate: 2 } };
    expect(afterPage(paced, START, { ...MADE, changed: 5 })).toMatchObject({ restMs: 2_470, ends: "running" });
  });

  test("an operation is done where no page follows and no task is locked, stopped where it has changed as many as it may", () => {
    expect(afterPage(operation, START, { ...MADE, isLast: true }).ends).toBe("done");
    const bounded = { options: { ...OPTIONS, atMost: 9 }, changed: 4 };
    expect(afterPage(bounded, START, { ...MADE, changed: 4 }).ends).toBe("running");
    expect(afterPage(bounded, START, { ...MADE, changed: 4, isMore: true }).ends).toBe("running");
    expect(afterPage(bounded, START, { ...MADE, changed: 5, isMore: true }).ends).toBe("stopped");
    expect(afterPage(bounded, START, { ...MADE, changed: 5, lockedIds: ids(1) }).ends).toBe("stopped");
    expect(afterPage(bounded, START, { ...MADE, changed: 5, isLast: true }).ends).toBe("done");
    expect(afterPage(bounded, START, { ...MADE, changed: 5 }).ends).toBe("running");
  });

  test("locked tasks of an operation are kept for a round behind its last page, up to a bound", () => {
    const first = afterPage(operation, START, { ...MADE, lockedIds: ids(2) });
    expect(first).toMatchObject({ round: 0, lockedIds: ids(2), passed: {} });
    const last = afterPage(operation, first, { ...MADE, lockedIds: ids(1, 2), isLast: true });
    expect(last).toMatchObject({ round: 1, lockedIds: ids(3), restMs: 40, ends: "running" });
    const crowd = afterPage(
      operation,
      { round: 0, lockedIds: ids(MOST_LOCKED) },
      { ...MADE, lockedIds: ids(3, 9_000) },
    );
    expect(crowd).toMatchObject({ lockedIds: ids(MOST_LOCKED), passed: { LOCKED: 3 } });
  });

  test("an operation's rounds for locked tasks come 40, 80 … 640 ms apart; then locked tasks are passed", () => {
    let place = afterPage(operation, START, { ...MADE, lockedIds: ids(3), isLast: true });
    const rests = [place.restMs];
    for (let made = 1; place.ends === "running"; made++) {
      expect(made).toBeLessThan(10);
      place = afterPage(operation, place, { ...MADE, passed: { NO_LONGER: 1 }, lockedIds: ids(2), isLast: true });
      if (place.ends === "running") rests.push(place.restMs);
    }
    expect(rests).toEqual([40, 80, 160, 320, 640]);
    expect(place).toEqual({
      round: LOCKED_ROUNDS + 1,
      lockedIds: [],
      restMs: 0,
      ends: "done",
      passed: { NO_LONGER: 1, LOCKED: 2 },
    });
  });

  test("an operation's round of several pages tries each locked task once; the next round waits for the last of them", () => {
    const round = fc.record({ size: fc.integer({ min: 1, max: 9 }), held: fc.uniqueArray(fc.nat(30)) });
    fc.assert(
      fc.property(round, ({ size, held }) => {
        let place: Parameters<typeof partOfRound>[0] & { round: number } = {
          round: 1,
          lockedIds: ids(31),
          below: null,
        };
        const tried: string[] = [];
        while (place.round === 1) {
          const { ids: some, later, below } = partOfRound(place, size);
          expect(some.length).toBeLessThanOrEqual(size);
          tried.push(...some);
          const lockedIds = [...some.filter((id) => held.includes(Number(id.slice(3)))), ...later];
          const made = { ...MADE, lockedIds, isLast: below === null };
          const { ends, restMs, ...after } = afterPage(operation, place, made);
          expect([ends, restMs]).toEqual([
            below === null && held.length === 0 ? "done" : "running",
            below !== null ? 30 : held.length === 0 ? 0 : 80,
          ]);
          if (ends === "done") break;
          place = { ...after, below };
        }
        expect(tried.toSorted()).toEqual(ids(31).toSorted());
        if (held.length > 0) expect(place.lockedIds.toSorted()).toEqual(held.map((at) => `id-${at}`).toSorted());
      }),
    );
  });

  test("each locked task of an operation is in the end tried again, changed or passed, whatever pages find", () => {
    const page = fc.record({ locked: fc.nat(3), changed: fc.nat(3), isLast: fc.boolean() });
    fc.assert(
      fc.property(fc.array(page, { maxLength: 20 }), (pages) => {
        let place: ReturnType<typeof afterPage> | typeof START = START;
        let found = 0;
        for (const { locked, changed, isLast } of pages) {
          if ("ends" in place && place.ends !== "running") break;
          const isRound: boolean = place.round > 0;
          const held: readonly string[] = isRound ? place.lockedIds.slice(0, locked) : ids(locked, found);
          const got: ReturnType<typeof afterPage> = afterPage(operation, place, {
            ...MADE,
            changed,
            lockedIds: held,
            isLast: isRound || isLast,
          });
          const before: readonly string[] = isRound ? [] : place.lockedIds;
          expect(got.lockedIds.length + (got.passed.LOCKED ?? 0)).toBe(before.length + held.length);
          expect(got.round).toBeGreaterThanOrEqual(place.round);
          if (got.ends === "done") expect(got.lockedIds).toEqual([]);
          found += locked;
          place = got;
        }
      }),
    );
  });
});

describe("behind a page of the undo", () => {
  const made = { undone: 1, left: {}, lockedIds: [], isLast: true, tookMs: 30 };

  test("an undo goes on behind a page until none is left, and comes back to what is locked", () => {
    expect(afterUndo(START, { ...made, isLast: false })).toMatchObject({ ends: "undoing", restMs: 30, round: 0 });
    expect(afterUndo(START, made)).toMatchObject({ ends: "undone", round: 0, givenUp: [] });
    const found = afterUndo(START, { ...made, lockedIds: ids(1), isLast: false });
    expect(found).toMatchObject({ ends: "undoing", round: 0, lockedIds: ids(1) });
    const locked = afterUndo(found, { ...made, lockedIds: ids(1, 1) });
    expect(locked).toMatchObject({ ends: "undoing", round: 1, restMs: 40, lockedIds: ids(2), left: {} });
    const last = { round: LOCKED_ROUNDS, lockedIds: ids(3) };
    expect(afterUndo(last, { ...made, lockedIds: ids(2), left: { GONE: 1 } })).toMatchObject({
      ends: "undone",
      left: { GONE: 1, LOCKED: 2 },
      lockedIds: [],
      givenUp: ids(2),
    });
    expect(afterUndo(START, { ...made, lockedIds: ids(MOST_LOCKED + 2), isLast: false })).toMatchObject({
      ends: "undoing",
      left: { LOCKED: 2 },
      givenUp: ids(2, MOST_LOCKED),
    });
  });
});

describe("a verdict", () => {
  test("a verdict that an operation is failing needs enough attempts that have ended, and a share that has failed", () => {
    const options = { stopWhenFailing: 0.5 };
    expect(isFailing(options, { ended: FAILING_AT_LEAST, failed: 10 })).toBe(true);
    expect(isFailing(options, { ended: FAILING_AT_LEAST, failed: 9 })).toBe(false);
    expect(isFailing(options, { ended: FAILING_AT_LEAST - 1, failed: 19 })).toBe(false);
    expect(isFailing({ stopWhenFailing: null }, { ended: 200, failed: 200 })).toBe(false);
  });
});

describe("the pace", () => {
  const pages = (count: number): PagePace[] =>
    Array.from({ length: count }, (_, at) => ({ at: at * 500, changed: 50 }));
  const running = {
    state: "running",
    heldAt: null,
    estimate: 1_000,
    changed: 500,
    undone: 0,
    leftBehind: {},
    recent: pages(5),
  } as unknown as TaskOperation;

  test("an operation's pace is that of its last pages, of which a bounded number is kept", () => {
    let recent: PagePace[] = [];
    for (const page of pages(PACE_PAGES + 5)) recent = withPace(recent, page);
    expect(recent).toEqual(pages(PACE_PAGES + 5).slice(5));
    expect(paceOf({ recent })).toBe(100);
    expect([paceOf({ recent: [] }), paceOf({ recent: pages(1) })]).toEqual([null, null]);
  });

  test("an operation's pace tells about when an open operation is over, and nothing of one on hold or over", () => {
    expect(endsAbout(running, 10_000)).toBe(15_000);
    expect(endsAbout({ ...running, estimate: null }, 10_000)).toBeNull();
    expect(endsAbout({ ...running, heldAt: 1 }, 10_000)).toBeNull();
    expect(endsAbout({ ...running, state: "done" }, 10_000)).toBeNull();
    const undoing = { ...running, state: "undoing", undone: 100, leftBehind: { TOUCHED: 100 } } as const;
    expect(endsAbout(undoing, 10_000)).toBe(13_000);
  });
});

test("an operation's counts by code are added up", () => {
  expect(added({ ASKED: 1, LOCKED: 2 }, { LOCKED: 3, OVERDUE: 4 })).toEqual({ ASKED: 1, LOCKED: 5, OVERDUE: 4 });
});
