import { describe, expect, test } from "@jest/globals";
import { GROUPS } from "@tickwheel/contract/operations";
import { getIntrospectionQuery, parse } from "graphql";
import { fieldNameOf, isPage } from "./graphql-call.js";
import { brokenLimit, MAX_ALIASES, MAX_COST, MAX_DEPTH, MAX_USED_LENGTH } from "./graphql-limits.js";

const PAGES = GROUPS.flatMap(({ rows }) => Object.values(rows))
  .filter(isPage)
  .map((row) => fieldNameOf(row)!);
const broken = (text: string, variables = {}): string | null => brokenLimit(parse(text), variables);
const nested = (depth: number): string => `${"a{".repeat(depth - 1)}a${"}".repeat(depth - 1)}`;
const fields = (count: number): string => Array.from({ length: count }, (_, index) => `f${index}`).join(" ");

describe("the limits of a document", () => {
  test(`the limits of a GraphQL document allow ${MAX_DEPTH} levels and no more`, () => {
    expect(broken(`{ ${nested(MAX_DEPTH)} }`)).toBeNull();
    expect(broken(`{ ${nested(MAX_DEPTH + 1)} }`)).toMatch(/nested deeper than 8/);
  });

  test("the limits of a GraphQL document count levels through fragments", () => {
    const text = (depth: number): string => `{ a { ...F } } fragment F on A { b { ... on A { ${nested(depth)} } } }`;
    expect(broken(text(MAX_DEPTH - 2))).toBeNull();
    expect(broken(text(MAX_DEPTH - 1))).toMatch(/nested/);
  });

  test(`the limits of a GraphQL document allow ${MAX_ALIASES} aliases and no more`, () => {
    const text = (count: number): string => `{ ${fields(count).replaceAll(/f\d+/g, (name) => `${name}: stats`)} }`;
    expect(broken(text(MAX_ALIASES))).toBeNull();
    expect(broken(text(MAX_ALIASES + 1))).toMatch(/21 aliases; at most 20/);
  });

  test("the limits of a GraphQL document count a list's fields as often as it is asked for, by literal or variable", () => {
    const perItem = MAX_COST / 200;
    expect(broken(`{ tasks(first: 200) { ${fields(perItem - 1)} } }`)).toBeNull();
    expect(broken(`{ tasks(first: 200) { ${fields(perItem)} } }`)).toMatch(/costs more/);
    const byVariable = `query ($n: Int) { tasks(first: $n) { ${fields(perItem)} } }`;
    expect(broken(byVariable, { n: 200 })).toMatch(/costs more/);
    expect(broken(byVariable, { n: 1 })).toBeNull();
  });

  test("the limits of a GraphQL document take the largest page where a variable is no number, whatever it is", () => {
    const body = fields(MAX_COST / 100);
    const text = `query ($n: Int) { tasks(first: $n) { ${body} } }`;
    for (const n of [[{ toString: 1 }], { valueOf: 1 }, "1", null, true, NaN])
      expect(broken(text, { n })).toMatch(/costs/);
    expect(broken(`{ tasks(first: "1") { ${body} } }`)).toMatch(/costs/);
  });

  test("a GraphQL document counts as the largest page where a variable is not given, as the default one without the argument", () => {
    const body = fields(MAX_COST / 100);
    expect(broken(`query ($n: Int = 1) { tasks(first: $n) { ${body} } }`)).toMatch(/costs more/);
    expect(broken(`{ tasks { ${body} } }`)).toBeNull();
    expect(broken(`{ a: tasks { ${body} } tasks { ${body} } }`)).toMatch(/costs more/);
  });

  test.each(PAGES)("the limits of a GraphQL document count the default page of %s", (field) => {
    expect(broken(`{ ${field} { ${fields(MAX_COST / 50 - 1)} } }`)).toBeNull();
    expect(broken(`{ ${field} { ${fields(MAX_COST / 50)} } }`)).toMatch(/costs more/);
  });

  test("the limits of a GraphQL document count what is asked for by another name than first", () => {
    const perItem = MAX_COST / 1_000;
    const byVariable = (count: number): string =>
      `query ($n: Int) { schedulePreview(name: "a", count: $n) { ${fields(count)} } }`;
    expect(broken(byVariable(perItem - 1), { n: 1_000 })).toBeNull();
    expect(broken(byVariable(perItem), { n: 1_000 })).toMatch(/costs more/);
    expect(broken(byVariable(perItem))).toMatch(/costs more/);
    expect(broken(`{ schedulePreview(name: "a") { ${fields(MAX_COST / 10 - 1)} } }`)).toBeNull();
    expect(broken(`{ schedulePreview(name: "a") { ${fields(MAX_COST / 10)} } }`)).toMatch(/costs more/);
  });

  test("the limits of a GraphQL document measure a fragment bomb in no time", () => {
    const bomb = Array.from({ length: 60 }, (_, n) => `fragment F${n} on A { ...F${n + 1} ...F${n + 1} }`).join(" ");
    expect(broken(`{ ...F0 } ${bomb} fragment F60 on A { x }`)).toMatch(/costs more/);
  });

  test("the limits of a GraphQL document end at a fragment that spreads itself", () => {
    expect(broken("{ ...F } fragment F on A { x ...F }")).toBeNull();
  });

  test("a GraphQL variable's value counts as often as it is used, in literals, lists, directives and fragments", () => {
    const uses = (count: number): string => Array.from({ length: count }, () => "$v").join(" ");
    const half = { v: "x".repeat(MAX_USED_LENGTH / 2 - 10) };
    const manyTimes = (count: number): string => `query ($v: JSON) { a(b: { c: [${uses(count)}] }) }`;
    expect(broken(manyTimes(2), half)).toBeNull();
    expect(broken(manyTimes(3), half)).toMatch(/uses its variables so often/);
    expect(broken(manyTimes(600), { v: { deep: ["x".repeat(10_000)] } })).toMatch(/uses its variables/);
    expect(broken("query ($v: JSON) { a(b: $v) ...F ...F } fragment F on Q { x(b: $v) }", half)).toMatch(/uses its/);
    expect(broken("query ($v: JSON) { a @d(b: $v) b @d(b: $v) c @d(b: $v) }", half)).toMatch(/uses its/);
    expect(broken(manyTimes(600), {})).toBeNull();
  });

  test("the default of a GraphQL variable that is not given counts against the limits, too", () => {
    const byDefault = (count: number): string =>
      `query ($v: JSON = "${"x".repeat(10_000)}") { a(b: [${Array.from({ length: count }, () => "$v").join(" ")}]) }`;
    expect(broken(byDefault(100))).toBeNull();
    expect(broken(byDefault(200))).toMatch(/uses its variables/);
    expect(broken(byDefault(200), { v: 1 })).toBeNull();
  });

  test("the limits of a GraphQL document leave introspection alone", () => {
    expect(broken(getIntrospectionQuery())).toBeNull();
  });
});
