import { expect, test } from "@jest/globals";
import type { ApiKey } from "@tickwheel/core";
import { GraphqlEndpoint } from "./graphql-endpoint.js";
import type { TaskApiService } from "./task-api.service.js";

const endpoint = new GraphqlEndpoint({} as TaskApiService);
const key = { id: "1", role: "operator" } as ApiKey;
const MUTATION = "mutation ($input: ScheduleTaskInput!) { scheduleTask(input: $input) { outcome } }";
const FIELDS = 14_000;

async function answerTo(body: object): Promise<{ text: string; codes: string[] }> {
  const request = { method: "POST", url: "/graphql", headers: { "content-type": "application/json" } };
  const [text] = await endpoint.answer({ ...request, text: JSON.stringify(body) }, key);
  const { errors } = JSON.parse(text!) as { errors: { extensions: { code: string } }[] };
  return { text: text!, codes: errors.map(({ extensions }) => extensions.code) };
}

const manyFields = Object.fromEntries(Array.from({ length: FIELDS }, (_, index) => [`field${index}`, "x"]));
const longName = "n".repeat(900_000);

test("unknown fields of variables are told by their paths", async () => {
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
