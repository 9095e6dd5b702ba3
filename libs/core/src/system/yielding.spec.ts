import { expect, test } from "@jest/globals";
import { SystemClock } from "./system-clock.js";
import { Turns } from "./yielding.js";

const clock = new SystemClock();

/** Keeps the loop for so long. */
function work(forMs: number): void {
  const endMonoMs = clock.monotonicMs() + forMs;
  while (clock.monotonicMs() < endMonoMs);
}

test("several long works go on by turns, and between two turns the event loop does what else there is", async () => {
  const turns = new Turns(clock);
  const order: string[] = [];
  let others = 0;
  const others$ = setInterval(() => others++, 1);
  const longWork = async (name: string): Promise<void> => {
    for (let step = 0; step < 30; step++) {
      if (turns.isOver()) {
        await turns.next();
        order.push(name);
      }
      work(1);
    }
  };
  await Promise.all([longWork("a"), longWork("b")]);
  clearInterval(others$);
  const swaps = order.filter((name, index) => index > 0 && order[index - 1] !== name);
  expect(order.length).toBeGreaterThanOrEqual(10);
  expect(swaps.length).toBeGreaterThanOrEqual(order.length - 3);
  expect(others).toBeGreaterThanOrEqual(order.length - 3);
});

test("a turn that nobody has begun is over", () => {
  expect(new Turns(clock).isOver()).toBe(true);
});
