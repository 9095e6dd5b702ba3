import { expect, test } from "@jest/globals";
import { signal } from "@preact/signals";
import type { Answer } from "../api/api-client.js";
import { localProblem } from "../api/problem.js";
import type { ApiKeyPage, Role } from "../api/wire.js";
import { KeyNames } from "./key-names.js";

const id = "0199c0de-0000-7000-8000-000000000001";
const away: Answer<ApiKeyPage> = { ok: false, problem: localProblem("Away", null) };
const page = (name: string | null): Answer<ApiKeyPage> => {
  return { ok: true, outcome: null, value: { items: [{ id, name }], nextCursor: null } as unknown as ApiKeyPage };
};

/** Names as somebody of that role sees them, by these answers. */
function namesFor(role: Role, ...answers: Answer<ApiKeyPage>[]) {
  const session = signal<{ role: Role } | null>({ role });
  let reads = 0;
  const names = new KeyNames({ session, read: async () => answers[Math.min(reads++, answers.length - 1)]! });
  return { names, session, readsSoFar: () => reads };
}

/** What was asked for is answered. */
const answered = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test("an administrator reads the keys once, when the first key is to be named", async () => {
  const { names, readsSoFar } = namesFor("admin", page("shop"));
  expect([names.of("system"), names.of("user:vera"), readsSoFar()]).toEqual(["system", "vera", 0]);
  expect([names.of(`key:${id}`), names.of("key:0000-87654321")]).toEqual(["key …00000001", "key …87654321"]);
  await answered();
  expect([names.of(`key:${id}`), names.of("key:0000-87654321")]).toEqual(["shop", "key …87654321"]);
  expect(readsSoFar()).toBe(1);
});

test("a failed reading of the keys is tried again; keys that were read anyway need no reading", async () => {
  const { names, readsSoFar } = namesFor("admin", away, page(null));
  names.of(`key:${id}`);
  await answered();
  names.of(`key:${id}`);
  await answered();
  expect([names.of(`key:${id}`), readsSoFar()]).toEqual(["first key", 2]);
  const other = namesFor("admin", away);
  other.names.learn([{ id, name: "till" }]);
  expect([other.names.of(`key:${id}`), other.readsSoFar()]).toEqual(["till", 0]);
});

test("users other than administrators read no keys and see the end of the id, also after one on the same page", async () => {
  const { names, session, readsSoFar } = namesFor("admin", page("shop"));
  names.of(`key:${id}`);
  await answered();
  session.value = { role: "operator" };
  expect([names.of(`key:${id}`), readsSoFar()]).toEqual(["key …00000001", 1]);
});
