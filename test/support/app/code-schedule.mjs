import { Injectable } from "@nestjs/common";
import { ClusterCron, ClusterInterval } from "@tickwheel/nestjs";
import { recorder } from "./recording-handler.mjs";

/**
 * A provider whose method is a schedule. One that is given by its name alone comes at the start of each year and does
 * nothing; of any other the runs are recorded.
 *
 * @param {string | import("../cluster.js").CodeSchedule} schedule
 */
export function codeSchedule(schedule) {
  if (typeof schedule === "string") return scheduledMethod(idler(), ClusterCron("0 0 1 1 *", { name: schedule }));
  const { cron, every, ...options } = schedule;
  const decorate = every ? ClusterInterval(every, options) : ClusterCron(cron, options);
  return scheduledMethod(recorder(`schedule.${schedule.name}`), decorate);
}

function idler() {
  class Idler {
    async handle() {}
  }
  Injectable()(Idler);
  return Idler;
}

function scheduledMethod(provider, decorate) {
  decorate(provider.prototype, "handle", Object.getOwnPropertyDescriptor(provider.prototype, "handle"));
  return provider;
}
