import { afterEach, expect, test } from "@jest/globals";
import { Injectable } from "@nestjs/common";
import { Test, type TestingModule } from "@nestjs/testing";
import { ClusterInterval, DelayTaskHandler, DelayTaskModule, DelayTaskService } from "@tickwheel/nestjs";
import { DelayTaskTesting } from "./delay-task-testing.js";
import { DelayTaskTestingModule } from "./delay-task-testing.module.js";
import type { DelayTaskTestingOptions } from "./testing-options.js";

const BEAT = "schedule.beat";

@Injectable()
class Jobs {
  @ClusterInterval("10s", { name: "beat" })
  beat(): void {}

  @DelayTaskHandler("note")
  note(): void {}
}

let app: TestingModule;
afterEach(() => app.close());

async function open(options: DelayTaskTestingOptions = {}) {
  const imports = [DelayTaskModule.forRoot({ url: "postgres://nowhere.invalid/shop" })];
  const builder = Test.createTestingModule({ imports, providers: [Jobs] });
  app = await DelayTaskTestingModule.in(builder, options).compile();
  await app.init();
  const tasks = DelayTaskTesting.of(app);
  const ran = async (moved: ReturnType<DelayTaskTesting["advance"]>) => (await moved).map(({ task }) => task.type);
  return { tasks, ran, service: app.get(DelayTaskService) };
}

test("a week passes without a type that would run 60,480 times, and the type's next occurrence is the one after the week", async () => {
  const { tasks, ran, service } = await open();
  await service.schedule("note", null, { delay: "3d" });
  expect(await ran(tasks.advance("7d", { without: [BEAT] }))).toEqual(["note"]);
  expect(await ran(tasks.runDue())).toEqual([]);
  expect(await ran(tasks.advance("10s"))).toEqual([BEAT]);
});

test("tasks of a type that is left out wait, however many become due, and run at the next move", async () => {
  const { tasks, ran, service } = await open({ schedules: false });
  const items = Array.from({ length: 400 }, (_, at) => ({ task: "note", payload: at, delay: 60_000 * (at + 1) }));
  await service.scheduleMany(items);
  const options = { without: [{ type: "note" }] };
  expect(await ran(tasks.advanceTo(new Date(tasks.now.getTime() + 86_400_000), options))).toEqual([]);
  expect(await ran(tasks.runDue())).toHaveLength(400);
});

test("types and schedules that the test has paused stay paused, and a type that is not there is told", async () => {
  const { tasks, ran, service } = await open();
  await service.schedule("note", null, { delay: "1m" });
  await service.types.pause("note");
  await service.schedules.pause("beat");
  await tasks.advance("1h", { without: ["note", BEAT] });
  expect(await ran(tasks.advance("1h"))).toEqual([]);
  await service.types.resume("note");
  const typo = tasks.advance("1h", { without: ["note", "nobody.s"] });
  await expect(typo).rejects.toMatchObject({ code: "TYPE_NOT_FOUND" });
  expect(await ran(tasks.runDue())).toEqual(["note"]);
});

test("the schedules of the code are not made where the test says so", async () => {
  const { tasks, ran, service } = await open({ schedules: false });
  expect((await service.schedules.list()).items).toEqual([]);
  expect(await ran(tasks.advance("1d"))).toEqual([]);
});

test("a move that runs too much is told with the type that ran most, and what to do", async () => {
  const { tasks, ran, service } = await open();
  await service.schedule("note", null);
  const moved = tasks.advance("7d", { maxRuns: 100 });
  await expect(moved).rejects.toThrow(
    /More than 100 handlers have run in one move, 100 of them of the type "schedule\.beat".*without: \["schedule\.beat"\].*schedules: false.*maxRuns/,
  );
  expect(await ran(tasks.advance("1m"))).toHaveLength(6);
  await expect(tasks.advance("1m", { maxRuns: 0 })).rejects.toThrow(RangeError);
});
