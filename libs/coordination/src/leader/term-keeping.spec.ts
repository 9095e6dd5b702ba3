import { expect, test } from "@jest/globals";
import { afterKeeping } from "./term-keeping.js";

test.each([
  ["was written extends the lock", { ok: true, value: true }, "extend_lock"],
  ["was refused ends the leadership", { ok: true, value: false }, "end"],
  ["got no answer changes nothing, least of all the lock", { ok: false }, "nothing"],
] as const)("a beat of the term that %s", (_, written, expected) => {
  expect(afterKeeping(written)).toBe(expected);
});
