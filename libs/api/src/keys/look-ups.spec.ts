import { expect, test } from "@jest/globals";
import type { ApiKey } from "@tickwheel/core";
import { LookUps } from "./look-ups.js";

/** Looks that the test answers one by one; `key` is the only key. */
function looks(limits?: { batch: number; waiting: number }) {
  const asked: (readonly string[])[] = [];
  const answers: ((error?: Error) => void)[] = [];
  const look = (hashes: readonly string[]): Promise<ReadonlyMap<string, ApiKey>> => {
    asked.push(hashes);
    return new Promise((resolve, reject) =>
      answers.push((error) =>
        error ? reject(error) : resolve(new Map(hashes.includes("key") ? [["key", { id: "1" } as ApiKey]] : [])),
      ),
    );
  };
  return { lookUps: new LookUps(look, limits), asked, answer: (error?: Error) => answers.shift()!(error) };
}

const outcome = (found: Promise<ApiKey | null>): Promise<string> =>
  found.then(
    (apiKey) => apiKey?.id ?? "none",
    ({ message }: Error) => message,
  );
const turn = () => new Promise(setImmediate);

test("texts that are asked for during a look-up are looked up together by the next one, each text once", async () => {
  const { lookUps, asked, answer } = looks();
  const outcomes = ["a", "b", "c", "key", "b"].map((hash) => outcome(lookUps.find(hash)));
  expect(asked).toEqual([["a"]]);
  answer();
  await turn();
  expect(asked).toEqual([["a"], ["b", "c", "key"]]);
  answer();
  expect(await Promise.all(outcomes)).toEqual(["none", "none", "none", "1", "none"]);
});

test("a look-up that fails does so for the texts in it alone", async () => {
  const { lookUps, answer } = looks();
  const outcomes = ["a", "key"].map((hash) => outcome(lookUps.find(hash)));
  answer(new Error("away"));
  await turn();
  answer();
  expect(await Promise.all(outcomes)).toEqual(["away", "1"]);
});

test("a look-up and the texts that wait for one have their most; a text beyond that is refused", async () => {
  const { lookUps, asked, answer } = looks({ batch: 2, waiting: 3 });
  const outcomes = ["a", "b", "c", "d", "e"].map((hash) => outcome(lookUps.find(hash)));
  answer();
  await turn();
  answer();
  await turn();
  answer();
  expect(asked).toEqual([["a"], ["b", "c"], ["d"]]);
  expect(await Promise.all(outcomes)).toEqual([
    "none",
    "none",
    "none",
    "none",
    expect.stringContaining("Too many keys"),
  ]);
});
