import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { type Envelope, envelopesOf, payloadsOf } from "./notify-payloads.js";

/** An envelope whose JSON takes about so many bytes. */
function letter(to: string, bytes: number): Envelope {
  return { to, message: { kind: "cancel", id: "x".repeat(Math.max(0, bytes - 60)), fence: 1 } };
}

describe("what is sent together", () => {
  test("goes in one notification where it fits", () => {
    const letters = ["1", "2", "3"].map((to) => letter(to, 2_000));
    const payloads = payloadsOf(letters);
    expect(payloads.map(({ count }) => count)).toEqual([3]);
    expect(envelopesOf(payloads[0]!.text)).toEqual(letters);
  });

  test("goes in as many as it needs, in its order", () => {
    const letters = ["1", "2", "3", "4", "5"].map((to) => letter(to, 3_000));
    const payloads = payloadsOf(letters);
    expect(payloads.map(({ count }) => count)).toEqual([2, 2, 1]);
    expect(payloads.flatMap(({ text }) => envelopesOf(text))).toEqual(letters);
  });

  test("is cut to the word that there is something to load where one alone is too long", () => {
    const [payload] = payloadsOf([letter("1", 9_000), letter("2", 100)]);
    expect(envelopesOf(payload!.text)).toEqual([{ to: "1", message: { kind: "load" } }, letter("2", 100)]);
  });

  test("never takes more than a NOTIFY holds, and nobody is left out", () => {
    const sizes = fc.array(fc.integer({ min: 60, max: 10_000 }), { maxLength: 20 });
    fc.assert(
      fc.property(sizes, (bytes) => {
        const payloads = payloadsOf(bytes.map((size, index) => letter(`${index}`, size)));
        expect(payloads.every(({ text }) => Buffer.byteLength(text) < 8_000)).toBe(true);
        const to = payloads.flatMap(({ text }) => envelopesOf(text).map((envelope) => envelope.to));
        expect(to).toEqual(bytes.map((_, index) => `${index}`));
        expect(payloads.reduce((sum, { count }) => sum + count, 0)).toBe(bytes.length);
      }),
    );
  });
});

test.each(["", "no json", "null", "7", '{"to":"1"}', '[{"to":"1"},null,5]'])(
  "somebody else's %p is none of ours",
  (payload) => {
    expect(envelopesOf(payload)).toEqual([]);
  },
);
