import { afterEach, expect, test } from "@jest/globals";
import { Injectable } from "@nestjs/common";
import { Test, type TestingModule } from "@nestjs/testing";
import { DelayTaskHandler, DelayTaskService } from "@tickwheel/nestjs";
import { DelayTaskTesting } from "./delay-task-testing.js";
import { DelayTaskTestingModule } from "./delay-task-testing.module.js";

@Injectable()
class Notes {
  @DelayTaskHandler("note")
  note(): void {}

  @DelayTaskHandler("other")
  other(): void {}
}

let app: TestingModule;
afterEach(() => app.close());

async function open(): Promise<{ tasks: DelayTaskTesting; service: DelayTaskService }> {
  const imports = [DelayTaskTestingModule.forRoot()];
  app = await Test.createTestingModule({ imports, providers: [Notes] }).compile();
  await app.init();
  return { tasks: DelayTaskTesting.of(app), service: app.get(DelayTaskService) };
}

test("600 tasks of one call are made while the clock stands", async () => {
  const { tasks, service } = await open();
  const items = Array.from({ length: 600 }, (_, at) => ({ task: "note", payload: at, delay: "1h" as const }));
  expect(await service.scheduleMany(items)).toHaveLength(600);
  expect(await tasks.advance("1h")).toHaveLength(600);
});

test("a task that is due is put off twice while the clock stands", async () => {
  const { tasks, service } = await open();
  for (const onConflict of ["refresh", "merge"] as const)
    for (let call = 0; call < 3; call++) await service.schedule("note", { call }, { key: onConflict, onConflict });
  expect(await tasks.runDue()).toHaveLength(2);
});

test("a type is paused and resumed while the clock stands", async () => {
  const { tasks, service } = await open();
  await service.schedule("note", null, { delay: "1m" });
  await service.types.pause("note");
  expect(await tasks.advance("1m")).toEqual([]);
  await service.types.resume("note");
  expect(await tasks.runDue()).toHaveLength(1);
});

test("due tasks obey a change of the settings at once while the clock stands", async () => {
  const { tasks, service } = await open();
  for (const type of ["note", "other"]) await service.schedule(type, null);
  for (const type of ["note", "other"]) expect(await service.types.pause(type)).toEqual({ obeyed: true });
  expect(await tasks.runDue()).toEqual([]);
  await service.types.resume("other");
  expect((await tasks.runDue()).map(({ task }) => task.type)).toEqual(["other"]);
});
