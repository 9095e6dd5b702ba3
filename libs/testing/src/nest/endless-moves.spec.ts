import { afterEach, expect, test } from "@jest/globals";
import { Injectable } from "@nestjs/common";
import { Test, type TestingModule } from "@nestjs/testing";
import { type DelayTask, DelayTaskHandler, DelayTaskService } from "@tickwheel/nestjs";
import { DelayTaskTesting } from "./delay-task-testing.js";
import { DelayTaskTestingModule } from "./delay-task-testing.module.js";

@Injectable()
class Endless {
  constructor(private readonly tasks: DelayTaskService) {}

  @DelayTaskHandler("again")
  async again({ payload }: DelayTask<number>): Promise<void> {
    if (payload > 0) await this.tasks.schedule("again", payload - 1);
  }
}
Reflect.defineMetadata("design:paramtypes", [DelayTaskService], Endless);

let app: TestingModule;
afterEach(() => app.close());

async function open(): Promise<{ tasks: DelayTaskTesting; service: DelayTaskService }> {
  const imports = [DelayTaskTestingModule.forRoot({ maxRunsAtOnce: 50 })];
  app = await Test.createTestingModule({ imports, providers: [Endless] }).compile();
  await app.init();
  return { tasks: DelayTaskTesting.of(app), service: app.get(DelayTaskService) };
}

test("a handler that makes a new task at once each time is told by its type, and the test goes on", async () => {
  const { tasks, service } = await open();
  await service.schedule("again", 49);
  expect(await tasks.advance("1m")).toHaveLength(50);
  await service.schedule("again", 1_000_000);
  await expect(tasks.advance("1m")).rejects.toThrow(/50 runs have begun, most of the type "again".*maxRunsAtOnce/);
  await expect(tasks.drain()).rejects.toThrow(/"again"/);
});

test("an occurrence that nobody runs does not hold the time up, and is told by its type in the end", async () => {
  const { tasks, service } = await open();
  await service.schedules.create({ name: "lonely", task: "nobody.s", every: "1m" });
  await tasks.advance("10m");
  await tasks.advanceTo(new Date(tasks.now.getTime() + 1_234_567));
  await expect(tasks.advance("1d")).rejects.toThrow(/type "nobody\.s" is due, and nothing runs it/);
});

test("a drain leaves a task that nobody runs", async () => {
  const { tasks, service } = await open();
  await service.schedule("nobody.s", null, { delay: "1m" });
  expect(await tasks.drain()).toEqual([]);
});
