import type { DelayTask, DelayTaskContext } from "./delay-task.js";

/** Runs what lies within: the next function around, or the handler. To be called once; answers its result. */
export type NextAround = () => Promise<unknown>;

/**
 * Runs around every handler of the module: for tracing, tenancy, logging. What it returns is the task's result, and
 * what it throws is a failed attempt; one that does not call `next` stands in for the handler.
 *
 * @example
 * const traced: DelayTaskAround = (task, ctx, next) => tracer.span(task.type, () => next());
 */
export type DelayTaskAround = (task: DelayTask, context: DelayTaskContext, next: NextAround) => unknown;

type Handle = (task: DelayTask, context: DelayTaskContext) => unknown;

/** A handler with functions around it, the first one outermost. */
export function withAround(handle: Handle, around: readonly DelayTaskAround[]): Handle {
  return around.reduceRight<Handle>(
    (inner, outer) => (task, context) =>
      outer(
        task,
        context,
        once(() => inner(task, context)),
      ),
    handle,
  );
}

function once(work: () => unknown): NextAround {
  let isCalled = false;
  return async () => {
    if (isCalled) throw new Error("next() was called a second time: it runs the handler, which is to run once");
    isCalled = true;
    return work();
  };
}
