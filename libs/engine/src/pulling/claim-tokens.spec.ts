import { describe, expect, test } from "@jest/globals";
import { readToken, secretIdOf, tokenOf } from "./claim-tokens.js";

const SECRET = { id: 1, value: Buffer.alloc(32, 7) };
const CLAIM = {
  id: "01a1fde4-720b-7007-b634-6422c5ec4464",
  fence: 2_147_483_647,
  typeId: 12,
  claimedAt: 1_763_900_000_123,
};
const TOKEN = tokenOf(CLAIM, SECRET);

describe("the token of a claim", () => {
  test("the token of a claim has 64 characters that need no escape in a path, and names the claim", () => {
    expect(TOKEN).toMatch(/^[A-Za-z0-9_-]{64}$/);
    expect([secretIdOf(TOKEN), readToken(TOKEN, SECRET)]).toEqual([1, CLAIM]);
  });

  test("the token of a claim is none under another secret", () => {
    const others = [
      { id: 1, value: Buffer.alloc(32, 8) },
      { id: 2, value: SECRET.value },
    ];
    expect(others.map((secret) => readToken(TOKEN, secret))).toEqual([null, null]);
  });

  test("the token of a claim is none with any bit changed", () => {
    const bytes = Buffer.from(TOKEN, "base64url");
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const changed = Buffer.from(bytes);
      changed[bit >> 3]! ^= 1 << (bit & 7);
      expect(readToken(changed.toString("base64url"), SECRET)).toBeNull();
    }
  });

  test.each([
    ["nothing", ""],
    ["a part of one", TOKEN.slice(0, 63)],
    ["more than one", `${TOKEN}A`],
    ["one with padding", `${TOKEN.slice(0, 63)}=`],
    ["one in another alphabet", `${TOKEN.slice(0, 62)}+/`],
    ["a text with a NUL", `${TOKEN.slice(0, 63)}\0`],
  ])("the token of a claim is not %s", (_what, text) => {
    expect([secretIdOf(text), readToken(text, SECRET)]).toEqual([null, null]);
  });
});
