import { readFileSync } from "node:fs";
import { describe, expect, test } from "@jest/globals";
import { LEASE_ENDED, NODES_DIED, printOf } from "./error-print.js";
import { fingerprintOf, isFingerprint, printOfFingerprint } from "./fingerprint.js";

interface GoldenCase {
  /** Texts with the same cause must have the same print, all others another. */
  cause: string;
  input: string;
  title: string;
  place: string;
  print: string;
}

/** Texts as they are met, by hand, with what must come out: a change of it needs a new `PRINT_RULES`. */
const CASES = JSON.parse(
  readFileSync(new URL("../../test-support/error-prints.json", import.meta.url), "utf8"),
) as readonly GoldenCase[];

describe("the print of an error", () => {
  test.each(CASES)("the print of an error of $cause: $input", ({ input, title, place, print }) => {
    const found = printOf(input);
    expect(found).toEqual({ title, place, print: printOfFingerprint(print) });
    expect(fingerprintOf(found.print)).toBe(print);
  });

  test("the prints of errors tell 39 texts of 21 causes apart, and join those of one cause", () => {
    expect(CASES).toHaveLength(39);
    const causes = [...new Set(CASES.map(({ cause }) => cause))];
    const prints = causes.map(
      (one) => new Set(CASES.filter(({ cause }) => cause === one).map(({ input }) => printOf(input).print)),
    );
    expect(prints.map(({ size }) => size)).toEqual(Array(21).fill(1));
    expect(new Set(prints.flatMap((each) => [...each])).size).toBe(21);
  });
});

describe("the title", () => {
  test.each([
    ["a status stays where it is told as one", "HTTP 404 after 12 ms", "HTTP 404 after # ms"],
    ["an exit code stays", "git: exit code 128", "git: exit code 128"],
    ["a word in brackets is no body", "spawn [worker] died {now}", "spawn [worker] died {now}"],
    ["an apostrophe quotes nothing", "it's over, isn't it", "it's over, isn't it"],
    ["an id in a URL does not", "GET http://u:p@Shop.example:80/o/4711?x=1", "GET shop.example/o/*"],
    ["a time of day is no address", "closed at 10:20:30", "closed at <time>"],
    ["what stands behind three lines does not count", "a\nb\nc\nd", "a b c"],
  ])("the title of an error, %s: %j", (_rule, error, title) => expect(printOf(error).title).toBe(title));

  test("the title of an error reads 1,000 characters of a message, and has 200", () => {
    const long = "word ".repeat(1_000);
    expect(printOf(long)).toEqual(printOf(`${long.slice(0, 1_000)} and more`));
    expect(printOf(long).title).toHaveLength(200);
    expect(printOf(`${"x".repeat(199)}😀`).title).toBe("x".repeat(199));
  });

  test("the title of tasks whose nodes died is those words alone", () => {
    const told = printOf(`${NODES_DIED}: node 10.0.0.4:4711 at 2026-11-22T03:14:02.117Z`);
    expect(told).toEqual(printOf(NODES_DIED));
    expect(told).toMatchObject({ title: NODES_DIED, place: "" });
  });

  test("the title of executions whose leases have ended is those words alone, for every consumer", () => {
    const told = printOf(`${LEASE_ENDED}: worker\n    at Orders.find (/app/orders.js:3:7)`);
    expect(told).toEqual(printOf(LEASE_ENDED));
    expect(told).toMatchObject({ title: LEASE_ENDED, place: "" });
  });
});

describe("the place", () => {
  test.each([
    ["    at new Promise (<anonymous>)\n    at Mails.send (/app/mails.js:1:2)", "Mails.send"],
    ["    at Mails.send [as handler] (/app/mails.js:1:2)", "Mails.send"],
    ["    at async file:///app/my folder/mails.mjs?v=2:1:2", "mails"],
    ["    at Object.<anonymous> (/app/src/mails.ts:1:2)", "mails"],
    ["    at eval (eval at run (/app/mails.js:1:2), <anonymous>:1:1)", ""],
    ["    at Page.load (/app/(group)/page.tsx:1:2)", "Page.load"],
    ["    at Promise.all (index 0)\n    at native", ""],
    ["    at run (/app/node_modules/pg/lib/client.js:1:2)\n    at go (C:\\node_modules\\pg.js:1:2)", ""],
    ["    at run (/app/node_modules/@tickwheel/engine/dist/running/dispatcher.js:1:2)", ""],
  ])("the place of an error at %j is %p", (frames, place) =>
    expect(printOf(`Error: no luck\n${frames}`).place).toBe(place),
  );
});

test("a fingerprint is twelve hex digits in lower case, and says its print", () => {
  expect([fingerprintOf(0), fingerprintOf(2 ** 48 - 1)]).toEqual(["000000000000", "ffffffffffff"]);
  expect(printOfFingerprint("0000000000ff")).toBe(255);
  const sound = ["0123456789ab", "0123456789AB", "0123456789a", "0123456789abc", "0123456789ag", ""];
  expect(sound.map(isFingerprint)).toEqual([true, false, false, false, false, false]);
});
