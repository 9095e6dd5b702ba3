import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { arrivalsIn, type Envelope, payloadsOf } from "./notify-payloads.js";

/** An envelope whose JSON takes about this many bytes. */
function letter(to: string, bytes: number): Envelope {
  return { to, message: { kind: "cancel", id: "x".repeat(Math.max(0, bytes - 60)), fence: 1 } };
}

describe("envelopes that are sent together", () => {
  test("envelopes that are sent together go in one notification if they fit", () => {
    const letters = ["1", "2", "3"].map((to) => letter(to, 2_000));
    const payloads = payloadsOf(letters);
    expect(payloads.map(({ count }) => count)).toEqual([3]);
    expect(arrivalsIn(payloads[0]!.text)).toEqual(letters);
  });

  test("envelopes that are sent together go in as many notifications as they need, in their order", () => {
    const letters = ["1", "2", "3", "4", "5"].map((to) => letter(to, 3_000));
    const payloads = payloadsOf(letters);
    expect(payloads.map(({ count }) => count)).toEqual([2, 2, 1]);
    expect(payloads.flatMap(({ text }) => arrivalsIn(text))).toEqual(letters);
  });

  test("an envelope that is too long for one notification becomes a bare request to load", () => {
    const [payload] = payloadsOf([letter("1", 9_000), letter("2", 100)]);
    expect(arrivalsIn(payload!.text)).toEqual([{ to: "1", message: { kind: "load" } }, letter("2", 100)]);
  });

  test("envelopes that are sent together never exceed what a NOTIFY holds, and no envelope is left out", () => {
    const sizes = fc.array(fc.integer({ min: 60, max: 10_000 }), { maxLength: 20 });
    fc.assert(
      fc.property(sizes, (bytes) => {
        const payloads = payloadsOf(bytes.map((size, index) => letter(`${index}`, size)));
        expect(payloads.every(({ text }) => Buffer.byteLength(text) < 8_000)).toBe(true);
        const to = payloads.flatMap(({ text }) => arrivalsIn(text).map((envelope) => envelope.to));
        expect(to).toEqual(bytes.map((_, index) => `${index}`));
        expect(payloads.reduce((sum, { count }) => sum + count, 0)).toBe(bytes.length);
      }),
    );
  });
});

const UNREADABLE = { to: "all", message: undefined };

test.each(["", "no json", "null", "7", '{"to":"1"}', "x".repeat(200_000)])(
  "the foreign payload %.20p is read as one unreadable message for all",
  (payload) => {
    expect(arrivalsIn(payload)).toEqual([UNREADABLE]);
  },
);

test("the envelopes of a list are read as they came, and each other item as an unreadable message", () => {
  const payload = '[{"to":"1"},null,5,{"to":7,"message":{"kind":"load"}},{"to":"2","message":{"kind":"hints"}}]';
  const nothing = [UNREADABLE, UNREADABLE, UNREADABLE];
  expect(arrivalsIn(payload)).toEqual([
    { to: "1", message: undefined },
    ...nothing,
    { to: "2", message: { kind: "hints" } },
  ]);
});
