import { expect, test } from "@jest/globals";
import type { JoinedConditions, TickwheelError } from "@tickwheel/core";
import { type NamePorts, withNamesResolved } from "./named-subjects.js";

const ID = "019a0000-0000-7000-8000-000000000001";
const KEYS = new Map([
  ["shop", ["1", "2"]],
  ["bank", ["3"]],
]);
const asked: string[][] = [];
const ports = {
  batches: { get: ({ name }: { name?: string }) => Promise.resolve(name === "march" ? { id: ID } : null) },
  apiKeys: {
    idsByName: ({ names }: { names: readonly string[] }) => {
      asked.push([...names]);
      return Promise.resolve(new Map([...KEYS].filter(([name]) => names.includes(name))));
    },
  },
} as unknown as NamePorts;

const resolved = (filter: JoinedConditions) => withNamesResolved(filter, "default", ports);

test("the name of a key in a filter stands for all keys that have it; actors stay as they are", async () => {
  const actors = ["shop", "key:9", "application", "task:7", "user:Vera Ö."];
  expect(await resolved({ createdBy: actors, not: { type: "a", createdBy: "bank" } })).toEqual({
    createdBy: ["key:1", "key:2", "key:9", "application", "task:7", "user:Vera Ö."],
    not: { type: "a", createdBy: ["key:3"] },
  });
});

test("names in a filter's line are looked up with the names in its fields, by one look", async () => {
  asked.length = 0;
  const filter = await resolved({ batch: "march", createdBy: "bank", also: { batch: ID, createdBy: "shop" } });
  expect(filter).toEqual({ batch: ID, createdBy: ["key:3"], also: { batch: ID, createdBy: ["key:1", "key:2"] } });
  expect(asked).toEqual([["bank", "shop"]]);
});

test("a filter without names costs no look, and stays as it is", async () => {
  asked.length = 0;
  const filter = { type: "mail", createdBy: ["application", "key:1"], not: { tag: "vip" } };
  expect(await resolved(filter)).toEqual(filter);
  expect(asked).toEqual([]);
});

test("names in a filter that no key has are all told, at their places", async () => {
  const error = await resolved({ createdBy: ["shop", "nobody"], not: { createdBy: "none" } }).catch((e: unknown) => e);
  const { code, faults } = error as TickwheelError & { faults: { path: string; message: string }[] };
  expect([code, faults.map(({ path, message }) => [path, /"(.*)"$/.exec(message)?.[1]])]).toEqual([
    "VALIDATION_FAILED",
    [
      ["createdBy", "nobody"],
      ["not.createdBy", "none"],
    ],
  ]);
  await expect(resolved({ batch: "april" })).rejects.toMatchObject({ faults: [{ path: "batch" }] });
});
