import { describe, expect, test } from "@jest/globals";
import type { ClaimedTask, Finder, TaskType } from "@tickwheel/core";
import { Executions } from "./executions.js";

const task = (id: string, fence: number): ClaimedTask => ({ id, fence, owner: "1" }) as ClaimedTask;
const type = {} as TaskType;
const CLAIM = { sentMonoMs: 0, answeredMonoMs: 0 };
const way = (id: string, foundBy: Finder) => ({ id, foundBy, knownMonoMs: 0, readyMonoMs: 0, offeredMonoMs: 0 });

test("an execution carries the layer that brought its task to the claim", () => {
  const executions = new Executions();
  executions.claimSent([way("a", "steal"), way("b", "full-sweep")]);
  expect(executions.add(task("b", 1), type, CLAIM).foundBy).toBe("full-sweep");
  expect(executions.add(task("a", 1), type, CLAIM).foundBy).toBe("steal");
});

test("two executions of one task are kept apart, whichever leaves first", () => {
  const executions = new Executions();
  const first = executions.add(task("a", 1), type, CLAIM);
  const second = executions.add(task("a", 2), type, CLAIM);
  expect([executions.size, executions.get(first.task), executions.get(second.task)]).toEqual([2, first, second]);
  expect(executions.get({ id: "a", fence: 3 })).toBeUndefined();
  executions.remove(second.task);
  expect([executions.get(first.task), executions.get(second.task)]).toEqual([first, undefined]);
  const third = executions.add(task("a", 3), type, CLAIM);
  executions.remove(first.task);
  expect([executions.get(first.task), ...executions.all()]).toEqual([undefined, third]);
  expect([...executions.unfinished()]).toEqual([third]);
});

test("an execution that is added again replaces the old one", () => {
  const executions = new Executions();
  executions.add(task("a", 1), type, CLAIM);
  executions.add(task("a", 2), type, CLAIM);
  const second = executions.add(task("a", 2), type, CLAIM);
  const again = executions.add(task("a", 1), type, CLAIM);
  expect(executions.all().sort((one, other) => one.task.fence - other.task.fence)).toEqual([again, second]);
});

describe("a watch reports as held", () => {
  test("a watch reports executions as held that were there when it began, and those added later", () => {
    const executions = new Executions();
    const first = executions.add(task("a", 1), type, CLAIM);
    const watch = executions.watch();
    executions.remove(first.task);
    executions.add(task("b", 1), type, CLAIM);
    expect(watch.held({ id: "a", fence: 1 })).toBe(true);
    expect(watch.held({ id: "b", fence: 1 })).toBe(true);
    expect(watch.held({ id: "a", fence: 3 })).toBe(false);
  });

  test("a watch reports tasks of claims in flight as held, with any fence", () => {
    const executions = new Executions();
    const claim = executions.claimSent([way("a", "wheel")]);
    const watch = executions.watch();
    executions.claimOver(claim);
    executions.claimSent([way("b", "sweep")]);
    expect([watch.held({ id: "a", fence: 9 }), watch.held({ id: "b", fence: 1 })]).toEqual([true, true]);
    expect([executions.isClaiming("a"), executions.isClaiming("b")]).toEqual([false, true]);
  });

  test("a watch reports nothing as held that was added after it was closed", () => {
    const executions = new Executions();
    const watch = executions.watch();
    watch.close();
    executions.add(task("a", 1), type, CLAIM);
    expect(watch.held({ id: "a", fence: 1 })).toBe(false);
  });
});
