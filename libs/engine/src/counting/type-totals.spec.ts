import { expect, test } from "@jest/globals";
import type { MetricName } from "@tickwheel/core";
import fc from "fast-check";
import { MAX_NAMED_TYPES, type NameOf, OTHER, TypeTotals } from "./type-totals.js";

const nameOf: NameOf = (typeId) => ({ namespace: "default", type: `type.${typeId}` });

function valuesOf(totals: TypeTotals, metric: MetricName, names = nameOf): [string, unknown][] {
  const reading = totals.read(names).find(({ name }) => name === metric)!;
  return reading.samples.map(({ labels, value }) => [labels!.type!, value]);
}

const createdOf = (totals: TypeTotals, names = nameOf) => valuesOf(totals, "tickwheel_tasks_created_total", names);

test("at most a hundred types are named, none twice, and nothing is left out, whatever the types are", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 300 }), { maxLength: 1_000 }), (typeIds) => {
      const totals = new TypeTotals();
      for (const typeId of typeIds) totals.of(typeId).created++;
      const read = createdOf(totals);
      const names = new Set(read.map(([type]) => type));
      expect(names.size).toBe(read.length);
      expect(names.size).toBeLessThanOrEqual(MAX_NAMED_TYPES + 1);
      expect(read.reduce((sum, [, created]) => sum + (created as number), 0)).toBe(typeIds.length);
    }),
  );
});

test("the types beyond the first hundred are told as one", () => {
  const totals = new TypeTotals();
  for (let typeId = 1; typeId <= MAX_NAMED_TYPES + 5; typeId++) totals.of(typeId).created++;
  expect(createdOf(totals).at(-1)).toEqual([OTHER, 5]);
});

test("a type that was dropped keeps its name, and a new type of the same name is added to it", () => {
  const totals = new TypeTotals();
  totals.of(1).created = 3;
  expect(createdOf(totals)).toEqual([["type.1", 3]]);
  totals.of(2).created = 4;
  const renewed: NameOf = (typeId) => (typeId === 2 ? { namespace: "default", type: "type.1" } : undefined);
  expect(createdOf(totals, renewed)).toEqual([["type.1", 7]]);
});

test("a type that this node does not know yet waits for its name", () => {
  const totals = new TypeTotals();
  totals.of(1).created = 3;
  expect(createdOf(totals, () => undefined)).toEqual([]);
  expect(createdOf(totals)).toEqual([["type.1", 3]]);
});

test("a task that dies with its nodes is dead, and takes nothing off the count of retries", () => {
  const totals = new TypeTotals();
  Object.assign(totals.of(1), { failed: 5, dead: 2 });
  expect(valuesOf(totals, "tickwheel_task_retries_total")).toEqual([["type.1", 3]]);
  totals.of(1).crashed++;
  expect(valuesOf(totals, "tickwheel_task_retries_total")).toEqual([["type.1", 3]]);
  expect(valuesOf(totals, "tickwheel_tasks_dead_total")).toEqual([["type.1", 3]]);
});
