import { expect, test } from "@jest/globals";
import type { ApiKey } from "@tickwheel/core";
import { GraphqlEndpoint } from "./graphql-endpoint.js";
import type { GraphqlRoot } from "./graphql-root.service.js";

const endpoint = new GraphqlEndpoint({ fields: {} } as GraphqlRoot);
const apiKey = { id: "1", role: "operator" } as ApiKey;
const MUTATION = "mutation ($input: TaskInput!) { scheduleTask(input: $input) { outcome } }";
const FIELDS = 45_000;

async function answerTo(body: object, caller = apiKey): Promise<{ text: string; codes: string[] }> {
  const request = { method: "POST", url: "/graphql", headers: { "content-type": "application/json" } };
  const [text] = await endpoint.answer({ ...request, text: JSON.stringify(body) }, caller);
  const { errors } = JSON.parse(text!) as { errors: { extensions: { code: string } }[] };
  return { text: text!, codes: errors.map(({ extensions }) => extensions.code) };
}

const manyFields = Object.fromEntries(Array.from({ length: FIELDS }, (_, index) => [`field${index}`, "x"]));
const longName = "n".repeat(900_000);

test("unknown fields of GraphQL variables are told by their paths", async () => {
  const variables = { input: { type: "a", when: 1, deliver: { adress: "x" } } };
  const { text } = await answerTo({ query: MUTATION, variables });
  const [error] = (JSON.parse(text) as { errors: { extensions: object }[] }).errors;
  const errors = ["input.when", "input.deliver.adress"].map((path) => ({ path, message: "is not a known field" }));
  expect(error!.extensions).toEqual({ code: "VALIDATION_FAILED", errors });
});

test.each<[string, object]>([
  ["a variable with many unknown fields", { query: MUTATION, variables: { input: { type: "a", ...manyFields } } }],
  ["a variable that is a long text", { query: MUTATION, variables: { input: longName } }],
  ["a variable with a long name in it", { query: MUTATION, variables: { input: { type: "a", [longName]: 1 } } }],
  ["a field with a long name", { query: `{ ${longName} }` }],
  ["many fields that do not exist", { query: `{ ${Array.from({ length: 900 }, (_, i) => `a${i}`).join(" ")} }` }],
])("%s is refused in few words", async (_name, body) => {
  const { text, codes } = await answerTo(body);
  expect(new Set(codes)).toEqual(new Set(["VALIDATION_FAILED"]));
  expect(text.length).toBeLessThan(65_536);
});

const NESTED = `mutation ($v: JSON) { scheduleTask(input: { type: "a", payload: [${Array(560).fill("$v").join(" ")}] }) { outcome } }`;

test("a GraphQL variable of 0.9 MB that is used 560 times is refused before a text is made of it", async () => {
  const { codes, text } = await answerTo({ query: NESTED, variables: { v: longName } });
  expect(codes).toEqual(["VALIDATION_FAILED"]);
  expect(text).toContain("uses its variables so often");
});

test("a mutation by a caller without the right is refused before anything else of it is looked at", async () => {
  const viewer = { ...apiKey, role: "viewer" } as ApiKey;
  for (const variables of [{ v: longName }, { v: 1, unknown: 1 }])
    expect((await answerTo({ query: NESTED, variables }, viewer)).codes).toEqual(["FORBIDDEN"]);
  const byName = {
    query: `query a { stats { overdue } } ${NESTED.replace("mutation", "mutation b")}`,
    operationName: "b",
  };
  expect((await answerTo(byName, viewer)).codes).toEqual(["FORBIDDEN"]);
});
