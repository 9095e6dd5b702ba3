import { expect, test } from "@jest/globals";
import { TickwheelError } from "@tickwheel/core";
import { breakerOf } from "./handler-breaker.js";

const of = (breaker: unknown) =>
  breakerOf({ type: "mail", where: "Mails.handle", options: { breaker: breaker as object | undefined } });

test("a handler without the option has no breaker; an empty one has the defaults", () => {
  expect(of(undefined)).toBeUndefined();
  expect(of({})).toEqual({ errorShare: 0.5, leastAttempts: 10, openForMs: 10_000 });
  expect(of({ errorShare: undefined })).toEqual(of({}));
});

test.each([
  [
    { errorShare: 1, leastAttempts: 1, openFor: "1s" },
    { errorShare: 1, leastAttempts: 1, openForMs: 1_000 },
  ],
  [{ errorShare: 0.01, leastAttempts: 10_000, openFor: 600_000 }, { openForMs: 600_000 }],
  [{ openFor: "PT1M" }, { openForMs: 60_000 }],
])("a breaker of %j is taken", (given, expected) => {
  expect(of(given)).toMatchObject(expected);
});

test.each([
  [true, ["breaker"]],
  [null, ["breaker"]],
  [[], ["breaker"]],
  [
    { errorShare: 0, leastAttempts: 0, openFor: "500ms" },
    ["breaker.errorShare", "breaker.leastAttempts", "breaker.openFor"],
  ],
  [{ errorShare: 1.1, leastAttempts: 1.5, openFor: "11m" }, 3],
  [{ errorShare: "half", leastAttempts: 10_001, openFor: "soon" }, 3],
  [{ errorShare: NaN, openForMs: 5 }, ["breaker.errorShare", "breaker.openForMs"]],
])("a breaker of %j stops the start, with every fault", (given, expected) => {
  const error = (() => {
    try {
      return of(given);
    } catch (thrown) {
      return thrown as TickwheelError;
    }
  })() as TickwheelError;
  expect(error).toMatchObject({ code: "CONFIGURATION_INVALID", message: expect.stringContaining("Mails.handle") });
  const paths = error.faults.map(({ path }) => path);
  expect(typeof expected === "number" ? paths.length : paths).toEqual(expected);
});
