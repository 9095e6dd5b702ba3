import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { addressOf, GROUPS, type Operation } from "@tickwheel/contract/operations";
import { generatedFiles } from "@tickwheel/contract/documents";
import { buildSchema } from "graphql";
import { madeFiles } from "../runner/made-files.mjs";

const root = join(import.meta.dirname, "../..");
const rows: { id: string; row: Operation; path: Record<string, unknown> }[] = GROUPS.flatMap((group) =>
  Object.entries(group.rows).map(([id, row]) => ({ id, row, path: group.path })),
);

test.each(Object.entries(madeFiles()))("the generated file %s is as it is made", (path, text) => {
  const file = join(root, path);
  const found = existsSync(file) ? readFileSync(file, "utf8") : "";
  expect(found === text ? "fresh" : "stale: npm run generate").toBe("fresh");
});

describe("the rows of calls", () => {
  test("the contract's rows of calls have ids of their own", () => {
    expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length);
  });

  test("the contract's rows of calls have addresses that no row before them catches", () => {
    const seen: { id: string; verb: string; pattern: RegExp }[] = [];
    const caught: string[] = [];
    for (const { id, row } of rows) {
      const { verb, path } = addressOf(row);
      const example = path.replaceAll(/:\w+/g, "x");
      for (const one of seen) if (one.verb === verb && one.pattern.test(example)) caught.push(`${id} by ${one.id}`);
      seen.push({ id, verb, pattern: new RegExp(`^${path.replaceAll(/:\w+/g, "[^/]+")}$`) });
    }
    expect(caught).toEqual([]);
  });

  test("the contract's rows of calls name each parameter of their address", () => {
    const unknown = rows.flatMap(({ id, row, path }) =>
      [...row.rest.matchAll(/:(\w+)/g)].filter(([, name]) => !(name! in path)).map(([, name]) => `${id} ${name}`),
    );
    expect(unknown).toEqual([]);
  });

  test("the contract's rows of calls have a summary without a full stop", () => {
    expect(rows.filter(({ row }) => row.summary.endsWith(".")).map(({ id }) => id)).toEqual([]);
  });

  test("the contract's calls change something only with a role, and only by another verb than GET", () => {
    const wrong = rows.filter(({ row }) => {
      const isGet = addressOf(row).verb === "GET";
      const readsByBody = row.repeat === "reads" && row.body !== undefined;
      return (isGet !== (row.repeat === "reads") && !readsByBody) || (row.role === "viewer" && !isGet);
    });
    expect(wrong.map(({ id }) => id)).toEqual([]);
  });

  test("the contract's rows of calls say why they have no field of GraphQL, and are else a field of the right root", () => {
    const schema = buildSchema(generatedFiles()["libs/contract/schema.graphql"]!);
    const queries = schema.getQueryType()!.getFields();
    const mutations = schema.getMutationType()!.getFields();
    for (const { id, row } of rows) {
      const { graphql } = row;
      if ("none" in graphql) expect(graphql.none.length).toBeGreaterThan(10);
      else {
        const [name, fields] = "query" in graphql ? [graphql.query, queries] : [graphql.mutation, mutations];
        expect({ id, isThere: name in fields }).toEqual({ id, isThere: true });
        expect({ id, isQuery: "query" in graphql }).toEqual({ id, isQuery: row.repeat === "reads" });
      }
    }
  });
});
