import { Injectable } from "@nestjs/common";
import { DelayTaskHandler } from "@tickwheel/nestjs";

/**
 * A provider whose handler calls the payload's `url`, with its process's number in `x-node`, and fails unless it
 * answers 200. Its type has a breaker.
 */
export function callingHandler(type) {
  class CallingHandler {
    async handle({ payload }, { signal }) {
      const { status } = await fetch(payload.url, { headers: { "x-node": String(process.pid) }, signal });
      if (status !== 200) throw new Error(`the provider answers ${status}`);
    }
  }
  Injectable()(CallingHandler);
  DelayTaskHandler(type, { breaker: { errorShare: 0.5, leastAttempts: 5, openFor: "2s" } })(CallingHandler);
  return CallingHandler;
}
