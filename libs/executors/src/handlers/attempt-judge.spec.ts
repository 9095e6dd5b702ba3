import { afterEach, expect, test } from "@jest/globals";
import { DEFAULT_JUDGE, OpossumJudge } from "./attempt-judge.js";

const judges: OpossumJudge[] = [];

afterEach(() => judges.splice(0).forEach((judge) => judge.stop()));

function judged(options: Partial<typeof DEFAULT_JUDGE> = {}) {
  let opened = 0;
  const judge = new OpossumJudge({ ...DEFAULT_JUDGE, ...options }, () => void opened++);
  judges.push(judge);
  const add = async (...attempts: readonly boolean[]): Promise<number> => {
    for (const hasFailed of attempts) judge.add(hasFailed);
    await new Promise((resolve) => setImmediate(resolve));
    return opened;
  };
  return { judge, add };
}

const failed = (count: number): boolean[] => Array.from({ length: count }, () => true);
const good = (count: number): boolean[] => Array.from({ length: count }, () => false);

test("a breaker opens after half of ten attempts have failed, and not before the tenth", async () => {
  const { add } = judged();
  expect(await add(...good(5), ...failed(4))).toBe(0);
  expect(await add(true)).toBe(1);
});

test("a breaker does not open while fewer than half of the attempts have failed", async () => {
  const { add } = judged();
  expect(await add(...good(11), ...failed(10))).toBe(0);
});

test("a breaker opens only after all of two attempts have failed, where the handler says so", async () => {
  const { judge, add } = judged({ errorShare: 1, leastAttempts: 2, openForMs: 500 });
  expect(await add(true, false, true)).toBe(0);
  judge.reset();
  expect([await add(true), await add(true), judge.openForMs]).toEqual([0, 1, 500]);
});

test("attempts from before a reset of a breaker count no more", async () => {
  const { judge, add } = judged();
  await add(...failed(9));
  judge.reset();
  expect(await add(...failed(9))).toBe(0);
  expect(await add(true)).toBe(1);
});
