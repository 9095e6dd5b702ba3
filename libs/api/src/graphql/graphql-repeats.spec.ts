import { describe, expect, test } from "@jest/globals";
import { getIntrospectionQuery, parse } from "graphql";
import { brokenLimit } from "./graphql-limits.js";
import { MAX_FRAGMENTS } from "./graphql-repeats.js";

const broken = (text: string): string | null => brokenLimit(parse(text));
const many = (count: number, part: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => part(index)).join(" ");
const TOO_OFTEN = /too often/;

describe("a document that repeats itself is refused", () => {
  test.each<[string, string]>([
    ["by a field without selections", `{ ${many(480, () => "__typename")} }`],
    ["by a field with selections", `{ ${many(480, () => "stats { overdue }")} }`],
    ["by inline fragments", `{ ${many(240, () => "... { stats { overdue } }")} }`],
    ["by fields that stand in one place of the answer only", `{ ${many(80, () => "stats { overdue }")} }`],
    ["by introspection", `{ __schema { types { ${many(480, () => "name")} } } }`],
    [
      "by an alias that takes another field's name",
      `{ stats ${many(19, () => "stats: a")} ${many(60, () => "stats")} }`,
    ],
    ["in a fragment that nobody spreads", `{ a } fragment F on Query { ${many(480, () => "stats { overdue }")} }`],
    ["by fields with long arguments", `{ ${many(10, () => `task(id: "${"x".repeat(20_000)}") { id }`)} }`],
  ])("a GraphQL document that repeats itself is refused: %s", (_name, text) => {
    expect(broken(text)).toMatch(TOO_OFTEN);
  });

  test("a GraphQL document that repeats itself by fragments is refused", () => {
    const text = (count: number): string =>
      `{ ${many(count, (n) => `...F${n}`)} } ${many(count, (n) => `fragment F${n} on Query { f${n} }`)}`;
    expect(broken(text(MAX_FRAGMENTS))).toBeNull();
    expect(broken(text(MAX_FRAGMENTS + 1))).toMatch(/51 fragments; at most 50/);
  });

  test("a GraphQL document is refused that repeats itself by fragments that hide how much there is under introspection", () => {
    const bomb = many(40, (n) => `fragment F${n} on A { __a { ...F${n + 1} } __b { ...F${n + 1} } }`);
    expect(broken(`{ __schema { ...F0 } } ${bomb} fragment F40 on A { x }`)).toMatch(/nested deeper|comes to more/);
    expect(broken("{ __schema { ...F } } fragment F on A { x { ...F } }")).toMatch(/nested deeper/);
  });
});

test("a document that names a field in several fragments, or an argument of any length once, is taken", () => {
  const parts = many(30, (n) => `fragment F${n} on Task { id state f${n} }`);
  expect(broken(`{ task(id: "1") { id ${many(30, (n) => `...F${n}`)} } } ${parts}`)).toBeNull();
  expect(broken(`{ task(id: "${"x".repeat(900_000)}") { id } }`)).toBeNull();
  expect(broken(getIntrospectionQuery({ inputValueDeprecation: true, oneOf: true }))).toBeNull();
});
