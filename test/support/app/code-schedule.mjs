import { Injectable } from "@nestjs/common";
import { ClusterCron } from "@tickwheel/nestjs";

/** A provider whose method is a schedule of this name: at the start of each year. */
export function codeSchedule(name) {
  class CodeSchedule {
    async run() {}
  }
  const method = Object.getOwnPropertyDescriptor(CodeSchedule.prototype, "run");
  ClusterCron("0 0 1 1 *", { name })(CodeSchedule.prototype, "run", method);
  Injectable()(CodeSchedule);
  return CodeSchedule;
}
