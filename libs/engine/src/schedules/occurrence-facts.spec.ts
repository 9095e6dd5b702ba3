import { expect, test } from "@jest/globals";
import type { OccurrenceStart, StartedOccurrence } from "@tickwheel/schedules";
import { StartedOccurrences } from "./occurrence-facts.js";

/** A store that answers when the test says so, and what it was asked. */
function scripted() {
  const asked: string[][] = [];
  const answers: ((how: "answer" | "fail") => void)[] = [];
  const begin = (starts: readonly OccurrenceStart[]): Promise<(StartedOccurrence | null)[]> =>
    new Promise((resolve, reject) => {
      asked.push(starts.map(({ taskId }) => taskId));
      answers.push((how) => (how === "answer" ? resolve(starts.map(() => null)) : reject(new Error("away"))));
    });
  return { occurrences: new StartedOccurrences({ begin }), asked, answers };
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test("a lone start of an occurrence is written at once; starts that come meanwhile share the next statement", async () => {
  const { occurrences, asked, answers } = scripted();
  const first = occurrences.begin("a", 1);
  const others = ["b", "c", "d"].map((id) => occurrences.begin(id, 1));
  expect(asked).toEqual([["a"]]);
  answers[0]!("answer");
  await first;
  await settled();
  expect(asked).toEqual([["a"], ["b", "c", "d"]]);
  answers[1]!("answer");
  expect(await Promise.all(others)).toEqual([null, null, null]);
  void occurrences.begin("e", 1);
  expect(asked.at(-1)).toEqual(["e"]);
});

test("a statement that fails fails its own starts of occurrences, and the next starts are written", async () => {
  const { occurrences, asked, answers } = scripted();
  const first = occurrences.begin("a", 1);
  const second = occurrences.begin("b", 1);
  answers[0]!("fail");
  await expect(first).rejects.toThrow("away");
  await settled();
  answers[1]!("answer");
  expect(await second).toBeNull();
  expect(asked).toEqual([["a"], ["b"]]);
});

test("a statement writes a bounded number of starts of occurrences", async () => {
  const { occurrences, asked, answers } = scripted();
  const all = Array.from({ length: 1_101 }, (_, index) => occurrences.begin(String(index), 1));
  for (let turn = 0; turn < 4; turn++) {
    answers[turn]!("answer");
    await settled();
  }
  await Promise.all(all);
  expect(asked.map((ids) => ids.length)).toEqual([1, 500, 500, 100]);
});
