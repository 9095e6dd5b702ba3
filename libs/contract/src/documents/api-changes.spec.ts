import { expect, test } from "@jest/globals";
import { GROUPS } from "../operations/groups.js";
import { apiChanges } from "./api-changes.js";
import { openApiOf } from "./openapi.js";

/** A document whose parts are changed at will. */
// oxlint-disable-next-line typescript/no-explicit-any
type Tree = Record<string, any>;
const now = (): Tree => JSON.parse(JSON.stringify(openApiOf(GROUPS))) as Tree;
const schemas = (document: Tree): Tree => document["components"].schemas as Tree;

/** What is told of a change of today's document. */
function toldOf(change: (document: Tree) => void): ReturnType<typeof apiChanges> {
  const changed = now();
  change(changed);
  return apiChanges(now(), changed);
}

test("two equal API documents have no changes between them", () => {
  expect(toldOf(() => undefined)).toEqual({ breaking: [], additions: [] });
});

test("a changed text is no change of the API", () => {
  expect(toldOf((document) => (schemas(document)["Task"].properties.key.description = "x"))).toEqual({
    breaking: [],
    additions: [],
  });
});

test.each<[string, (document: Tree) => void]>([
  ["a call that is gone", (document) => delete document["paths"]["/v1/tasks"].post],
  ["a field that is no longer answered", (document) => delete schemas(document)["Task"].properties.key],
  ["a field that may be null", (document) => (schemas(document)["Task"].properties.type.nullable = true)],
  ["a field that may be absent", (document) => schemas(document)["Task"].required.splice(0, 1)],
  ["a field of another type", (document) => (schemas(document)["Task"].properties.version.type = "string")],
  ["a field that is no longer taken", (document) => delete schemas(document)["TaskInput"].properties.key],
  ["a field that must be given", (document) => schemas(document)["TaskInput"].required.push("key")],
  [
    "a new field that must be given",
    (document) => {
      schemas(document)["TaskInput"].properties.color = { type: "string" };
      schemas(document)["TaskInput"].required.push("color");
    },
  ],
  ["a word that is no longer taken", (document) => schemas(document)["TaskInput"].properties.onConflict.enum.pop()],
  ["a parameter that is gone", (document) => document["paths"]["/v1/tasks"].get.parameters.pop()],
  ["a parameter that must be given", (document) => (document["paths"]["/v1/tasks"].get.parameters[0].required = true)],
  [
    "an answer of another status",
    (document) => {
      const { responses } = document["paths"]["/v1/tasks/{id}"].get;
      responses[202] = responses[200];
      delete responses[200];
    },
  ],
])("%s breaks the API", (_name, change) => {
  expect(toldOf(change).breaking).toHaveLength(1);
});

test.each<[string, (document: Tree) => void]>([
  ["a new call", (document) => (document["paths"]["/v1/new"] = { get: { responses: {} } })],
  ["a new field of an answer", (document) => (schemas(document)["Task"].properties.color = { type: "string" })],
  [
    "a new field that may be given",
    (document) => (schemas(document)["TaskInput"].properties.color = { type: "string" }),
  ],
  ["a new word", (document) => schemas(document)["TaskInput"].properties.onConflict.enum.push("wait")],
  ["a new parameter", (document) => document["paths"]["/v1/tasks"].get.parameters.push({ name: "color", in: "query" })],
])("%s is an addition to the API", (_name, change) => {
  const { breaking, additions } = toldOf(change);
  expect(breaking).toEqual([]);
  expect(additions.length).toBeGreaterThan(0);
});
