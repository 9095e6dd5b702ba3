import fc from "fast-check";

const text = fc.oneof(
  fc.string({ unit: "grapheme", minLength: 1, maxLength: 12 }),
  fc.string({ unit: fc.constantFrom('"', " ", "\\", ":", "<", "&", "=", "#", "%", "+", ",", "*", "ü"), maxLength: 8 }),
);
const length = fc
  .tuple(fc.integer({ min: 1, max: 3_000 }), fc.constantFrom("s", "m", "h", "d"))
  .map((parts) => parts.join(""));
const instant = fc.constantFrom("2026-11-01", "2026-11-08T09:00+01:00", "2026-11-24T06:00:10.5Z", "06:00", "23:59:59");
const range = fc.oneof(
  fc.tuple(fc.constantFrom("<", ">"), fc.oneof(length, instant)).map((parts) => parts.join("")),
  fc.tuple(instant, instant).map((ends) => ends.join("..")),
);

function quoted(value: string): string {
  return `"${value.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
}

const term = fc.oneof(
  fc
    .tuple(fc.constantFrom("type", "key", "-tag", "error", "-node", "by", "typ"), text)
    .map(([word, value]) => `${word}:${quoted(value)}`),
  fc.tuple(fc.constantFrom("created", "due", "finished", "late"), range).map((parts) => parts.join(":")),
  fc.constantFrom("state:dead,expired", "state:overdue", "type:mail.*", "attempt:1..3", "priority:>5", "live:true"),
  text,
);

/** Lines of filters, sound ones and others. */
export const anyLine: fc.Arbitrary<string> = fc.array(term, { maxLength: 4 }).map((terms) => terms.join(" "));
