import { expect, test } from "@jest/globals";
import { Health } from "@tickwheel/coordination";
import { type ClaimedTask, DEFAULT_OPTIONS, type TaskType, TickwheelError } from "@tickwheel/core";
import { ManualClock, RecordingTelemetry, SeededRandom } from "@tickwheel/testing";
import type { EngineContext } from "../runtime/engine-context.js";
import { NodeMeters } from "../counting/node-meters.js";
import { Executions } from "../held/executions.js";
import { Settler } from "./settler.js";

test("each execution that the store refuses in any form is reported and forgotten, and nothing counts as degraded", async () => {
  const clock = new ManualClock();
  const telemetry = new RecordingTelemetry();
  const health = new Health(clock, telemetry);
  const refused = new TickwheelError("INTERNAL", "refused", { details: { dataRefused: true } });
  const tasks = { settle: () => Promise.reject(refused) };
  const random = new SeededRandom(1);
  const meters = new NodeMeters();
  const context = { clock, telemetry, health, tasks, random, meters, options: DEFAULT_OPTIONS };
  const executions = new Executions();
  const settler = new Settler(context as unknown as EngineContext, { executions, publish: () => undefined });
  for (const id of ["a", "b"]) {
    const task = { id, owner: "1", fence: 3, attempt: 1, maxAttempts: 1 } as ClaimedTask;
    const entry = executions.add(task, {} as TaskType, { sentMonoMs: 0, answeredMonoMs: 0 });
    const settlement = { id, owner: "1", fence: 3, startedAt: 0, kind: "succeeded" as const, result: null };
    settler.write(entry, { write: "settle", settlement });
  }
  await clock.advance(100);
  expect([executions.size, settler.backlog, health.list()]).toEqual([0, 0, []]);
  expect(telemetry.named("engine.execution.refused").map(({ facts }) => facts?.id)).toEqual(["a", "b"]);
});
