import { type CallerTransaction, inTurns } from "@tickwheel/core";

/** A bulk of so many is worked on at once. */
const FEW = 200;
/** How many calls are under way at once: more would wait for the same few connections. */
const CALLS_AT_ONCE = 32;

/** Does quick work on each item, in turns of some milliseconds where there are many. */
export async function eachOf<Item, Result>(items: readonly Item[], work: (item: Item) => Result): Promise<Result[]> {
  return items.length <= FEW ? items.map((item) => work(item)) : inTurns(items, work);
}

/**
 * Makes a call for each item, some at once, and answers in the order of the items; within a caller's transaction one
 * after the other, as its connection does. The first call that throws ends it: no further one is made.
 */
export async function inParallel<Item, Result>(
  items: readonly Item[],
  within: CallerTransaction | undefined,
  call: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const left = items.entries();
  let isOver = false;
  const work = async (): Promise<void> => {
    for (const [index, item] of left) {
      if (isOver) return;
      results[index] = await call(item);
    }
  };
  const workers = Array.from({ length: within ? 1 : CALLS_AT_ONCE }, () => work());
  try {
    await Promise.all(workers);
  } finally {
    isOver = true;
    await Promise.allSettled(workers);
  }
  return results;
}
