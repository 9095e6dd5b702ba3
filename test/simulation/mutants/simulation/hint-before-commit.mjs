// The owner of a new task is told before the create is committed, and not after it: a claim that follows the hint at
// once finds no row.
import { TaskService } from "@tickwheel/engine";
import { replaceMethod } from "../replacing.mjs";

export const says = "a hint is published before the commit";
export const breaks = ["lateness-p99", "wheel-finds-what-was-known"];

export function plant() {
  replaceMethod(
    TaskService,
    "schedule",
    (schedule) =>
      function (request, options) {
        return schedule.call(hasty(this), request, options);
      },
  );
  replaceMethod(
    TaskService,
    "scheduleMany",
    (scheduleMany) =>
      function (namespace, requests, options) {
        return scheduleMany.call(hasty(this), namespace, requests, options);
      },
  );
}

/** The same service, which publishes what it is about to create. */
function hasty(service) {
  const { tasks, dbClock, publish } = service.parts;
  const create = (request, within) => {
    if (!within) publish(request.tasks.map((task) => hintOf(task, dbClock.nowMs())));
    return tasks.create(request, within);
  };
  const parts = { ...service.parts, tasks: Object.create(tasks, { create: { value: create } }), publish: () => {} };
  return Object.create(service, { parts: { value: parts } });
}

function hintOf({ id, typeId, priority, due }, now) {
  return { id, typeId, priority, version: 1, dueAt: Math.round(now + due.delayMs) };
}
