import { expect, test } from "@jest/globals";
import { type DelayTaskAround, withAround } from "./around.js";
import type { DelayTask, DelayTaskContext } from "./delay-task.js";

const task = { type: "t" } as DelayTask;
const context = {} as DelayTaskContext;

test("functions run around the handler, the first one outermost, and what they return is the result", async () => {
  const said: string[] = [];
  const saying =
    (name: string): DelayTaskAround =>
    async ({ type }, given, next) => {
      expect(given).toBe(context);
      said.push(`${name} before ${type}`);
      const result = await next();
      said.push(`${name} after`);
      return `${name}(${String(result)})`;
    };
  const handler = (): string => {
    said.push("handler");
    return "done";
  };
  const handle = withAround(handler, [saying("outer"), saying("inner")]);
  expect(await handle(task, context)).toBe("outer(inner(done))");
  expect(said).toEqual(["outer before t", "inner before t", "handler", "inner after", "outer after"]);
});

test("an error that the handler throws comes out of next, at once or later", async () => {
  const seen: unknown[] = [];
  const around: DelayTaskAround = async (_task, _context, next) => {
    await next().catch((error: unknown) => seen.push(error));
    throw new Error("of the wrapper");
  };
  const handle = withAround(() => {
    throw new Error("of the handler");
  }, [around]);
  await expect(handle(task, context)).rejects.toThrow("of the wrapper");
  expect(seen).toEqual([new Error("of the handler")]);
});

test("a handler runs once, when a function around it calls next twice", async () => {
  let calls = 0;
  const twice: DelayTaskAround = async (_task, _context, next) => [await next(), await next()];
  await expect(withAround(() => calls++, [twice])(task, context)).rejects.toThrow("next() was called a second time");
  expect(calls).toBe(1);
});

test("a function that does not call next stands in for the handler; without functions the handler is called as it is", async () => {
  const handle = (): string => "handler";
  expect(await withAround(handle, [() => "instead"])(task, context)).toBe("instead");
  expect(withAround(handle, [])).toBe(handle);
});
