import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { describe, expect, test } from "@jest/globals";
import * as fc from "fast-check";
import { parseCron } from "./cron-fields.js";
import { CronInstants } from "./cron-instants.js";

interface CronTime {
  getNextDateFrom(start: Date, zone: string): { toMillis(): number };
}
interface CronTimeClass {
  new (cron: string, zone: string): CronTime;
  validateCronExpression(cron: string): { valid: boolean };
}

/** The library that `@nestjs/schedule` runs `@Cron` methods by. */
const { CronTime } = createRequire(createRequire(import.meta.url).resolve("@nestjs/schedule"))("cron") as {
  CronTime: CronTimeClass;
};

const EXPRESSIONS = 1_000;
const INSTANTS = 3;
const FROM = Date.UTC(2026, 0, 1);

function ours(cron: string): number[] {
  const instants = new CronInstants({ cron, timeZone: "UTC", gap: "shift", fold: "first" });
  const found: number[] = [];
  for (let at = instants.next(FROM); at !== null && found.length < INSTANTS; at = instants.next(at)) found.push(at);
  return found;
}

function theirs(cron: string): number[] {
  const time = new CronTime(cron, "UTC");
  const found: number[] = [];
  for (let at = FROM; found.length < INSTANTS; found.push(at))
    at = time.getNextDateFrom(new Date(at), "UTC").toMillis();
  return found;
}

const itemOf = (low: number, high: number, mostStep: number): fc.Arbitrary<string> => {
  const range = fc
    .tuple(fc.integer({ min: low, max: high }), fc.integer({ min: low, max: high }))
    .map(([one, other]) => `${Math.min(one, other)}-${Math.max(one, other)}`);
  const step = fc.integer({ min: 1, max: mostStep });
  return fc.oneof(
    fc.integer({ min: low, max: high }).map(String),
    range,
    fc.tuple(range, step).map(([of, by]) => `${of}/${by}`),
    step.map((by) => `*/${by}`),
  );
};
const fieldOf = (item: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.oneof(
    fc.constant("*"),
    fc.array(item, { minLength: 1, maxLength: 3 }).map((items) => items.join(",")),
  );

const day = fc.oneof(
  // The 28 days that each month has: what never comes is refused by one, and searched for by the other.
  { weight: 3, arbitrary: fieldOf(itemOf(1, 28, 28)) },
  { weight: 1, arbitrary: fc.constantFrom("*/1", "1-31", "1-15,16-31", "1-31/1", "1-30,31", "1-30") },
);
const weekday = fc.oneof(
  { weight: 3, arbitrary: fieldOf(fc.oneof(itemOf(0, 7, 6), fc.constantFrom("MON", "sun", "Tue-FRI", "SUN-SAT"))) },
  { weight: 1, arbitrary: fc.constantFrom("*/1", "0-6", "1-7", "0-7", "1-6,0", "MON-SAT,SUN", "1-6", "*/2") },
);
const month = fieldOf(fc.oneof(itemOf(1, 12, 12), fc.constantFrom("JAN", "mar", "Jun-AUG")));
const expression = fc
  .tuple(fieldOf(itemOf(0, 59, 59)), fieldOf(itemOf(0, 23, 23)), day, month, weekday)
  .map((fields) => fields.join(" "));

describe("an expression", () => {
  test("a cron expression has the instants that @nestjs/schedule gives it", () => {
    for (const cron of fc.sample(expression, { numRuns: EXPRESSIONS, seed: 7 }))
      expect({ cron, instants: ours(cron) }).toEqual({ cron, instants: theirs(cron) });
  });

  test.each([
    ["0 0 13 * */1", "0 0 13 * *"],
    ["0 0 13 * 0-6", "0 0 13 * *"],
    ["0 0 13 * 1-7", "0 0 13 * *"],
    ["0 0 13 * SUN-SAT", "0 0 13 * *"],
    ["0 0 */1 * FRI", "0 0 * * FRI"],
    ["0 0 1-31 * FRI", "0 0 * * FRI"],
    ["0 0 1-31,L * FRI", "0 0 * * FRI"],
    ["0 0 */1 * */1", "0 0 * * *"],
  ])("the cron expression %p names every day in a day field, and is %p", (cron, plain) => {
    expect(ours(cron)).toEqual(ours(plain));
  });

  const guide = readFileSync(new URL("../../../../docs/guides/schedules.md", import.meta.url), "utf8");
  const [, section = ""] = guide.split("\n#### Expressions\n");
  const rows = section
    .split(/\n#/, 1)[0]!
    .split("\n")
    .filter((line) => line.startsWith("| `"))
    .map((line) => line.split("|").map((cell) => cell.trim().replaceAll("`", "")))
    .map(([, cron, there, here]) => [cron!, there!, here!] as const);

  test("the guide has a table of the cron expressions that differ from @nestjs/schedule", () =>
    expect(rows.length).toBeGreaterThan(5));

  test.each(rows)("the cron expression %p differs from @nestjs/schedule as the guide says", (cron, there, here) => {
    expect(CronTime.validateCronExpression(cron).valid).toBe(!there.startsWith("refused"));
    expect(parseCron(cron).fields !== null).toBe(!here.startsWith("refused"));
  });
});
