import { afterEach, expect, test } from "@jest/globals";
import { Injectable } from "@nestjs/common";
import { Test, type TestingModule } from "@nestjs/testing";
import { DelayTaskHandler, DelayTaskService } from "@tickwheel/nestjs";
import { DelayTaskTesting } from "./delay-task-testing.js";
import { DelayTaskTestingModule } from "./delay-task-testing.module.js";

const NOW = new Date("2026-03-01T00:00:00.000Z");

@Injectable()
class Jobs {
  @DelayTaskHandler("note")
  note(): void {}

  @DelayTaskHandler("broken", { maxAttempts: 2, backoff: { kind: "fixed", delay: "10m" } })
  broken(): void {
    throw new Error("out of ink");
  }
}

let app: TestingModule;
afterEach(() => app.close());

async function open(): Promise<{ tasks: DelayTaskTesting; service: DelayTaskService }> {
  const imports = [DelayTaskTestingModule.forRoot({ now: NOW })];
  app = await Test.createTestingModule({ imports, providers: [Jobs] }).compile();
  await app.init();
  return { tasks: DelayTaskTesting.of(app), service: app.get(DelayTaskService) };
}

const told = (expectation: PromiseLike<unknown>): Promise<string> =>
  Promise.resolve(expectation).then(
    () => "it is so",
    (error: Error) => error.message,
  );

test("a task that is not as expected is told with its failed attempts", async () => {
  const { tasks, service } = await open();
  await service.schedule("broken", null, { key: "k" });
  await tasks.drain();
  const message = await told(tasks.expectTask("broken").withKey("k").inState("dead").withTag("red"));
  const lines = message.split("\n").map((line) => line.trim());
  expect(lines[1]).toContain("last error Error: out of ink");
  expect(lines.slice(2)).toEqual([
    "attempt 1 failed at 2026-03-01T00:00:00.000Z: Error: out of ink",
    "attempt 2 failed at 2026-03-01T00:10:00.000Z: Error: out of ink",
  ]);
});

test("a task that the retention has deleted is told as such", async () => {
  const { tasks, service } = await open();
  await service.schedule("note", null, { key: "k" });
  const { task } = await service.schedule("note", null, { key: "never", delay: "1h" });
  await service.cancel(task.id);
  await tasks.runDue();
  const ran = () => tasks.expectTask("note").withKey("k").inState("succeeded");
  expect(await told(ran())).toBe("it is so");
  expect(await told(tasks.expectTask("note").withKey("other"))).not.toContain("retention");
  await tasks.advance("10d");
  expect(await told(ran())).toMatch(/none of that type.*One that has run is gone.*retention \(historyRetentionDays 7,/);
  const cancelled = tasks.expectTask("note").withKey("never").inState("cancelled");
  expect(await told(cancelled)).toMatch(/Ended tasks are gone, and such a one may have been among them/);
});
