import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { Test, type TestingModule } from "@nestjs/testing";
import { DelayTaskService } from "@tickwheel/nestjs";
import { DelayTaskTesting } from "./delay-task-testing.js";
import { DelayTaskTestingModule } from "./delay-task-testing.module.js";

const RESIZE = "image.resize";

let app: TestingModule;
let tasks: DelayTaskTesting;
let service: DelayTaskService;

beforeEach(async () => {
  app = await Test.createTestingModule({ imports: [DelayTaskTestingModule.forRoot()] }).compile();
  await app.init();
  tasks = DelayTaskTesting.of(app);
  service = app.get(DelayTaskService);
});
afterEach(() => app.close());

const schedule = (more: object = {}) =>
  service.schedule(RESIZE, { width: 640 }, { deliver: { kind: "pull" }, delay: "15m", ...more });

test("a test fetches a task when it is due, and completes it", async () => {
  const { task } = await schedule();
  const { id } = task;
  expect(await tasks.pull(RESIZE)).toEqual([]);
  await tasks.advance("15m");
  const [resize] = await tasks.pull<{ width: number }>(RESIZE);
  expect([resize!.id, resize!.attempt, resize!.payload]).toEqual([id, 1, { width: 640 }]);
  expect(await resize!.complete({ height: 480 })).toBe("succeeded");
  expect(await service.get(id)).toMatchObject({ state: "succeeded", result: { height: 480 } });
});

test("a failed attempt comes again after its wait, and a lease that ends counts as one", async () => {
  await schedule({ maxAttempts: 2 });
  await tasks.advance("15m");
  const [first] = await tasks.pull(RESIZE);
  expect(await first!.fail("Error: no space left", { retryAfter: "2m" })).toBe("scheduled");
  await tasks.advance("2m");
  const [second] = await tasks.pull(RESIZE);
  expect([second!.id, second!.attempt]).toEqual([first!.id, 2]);
  await second!.extend("1m");
  await tasks.advance("59s");
  expect((await service.get(first!.id))!.state).toBe("running");
  await tasks.advance("5s");
  expect(await service.get(first!.id)).toMatchObject({ state: "dead", reason: "ATTEMPTS" });
  await expect(second!.complete()).rejects.toMatchObject({ code: "LEASE_LOST" });
});

test("a released task can be fetched again at once, uncharged; a type without tasks gives none", async () => {
  expect(await tasks.pull("no.such")).toEqual([]);
  await schedule();
  await tasks.advance("15m");
  expect(await (await tasks.pull(RESIZE))[0]!.release()).toBe("scheduled");
  expect((await tasks.pull(RESIZE, { max: 5 })).map(({ attempt }) => attempt)).toEqual([1]);
});
