import { EventEmitter } from "node:events";
import { expect, test } from "@jest/globals";
import type { ExecutionContext } from "@nestjs/common";
import { Reflector } from "@nestjs/core";
import { SystemClock } from "@tickwheel/core";
import { LastingLoads, PollLoads } from "../limits/lasting-loads.js";
import { LoadLimit } from "../limits/load-limit.js";
import { Lasting, LoadLimitGuard, Poll } from "./load-limit.guard.js";

class Routes {
  @Lasting()
  stream(): void {}
  @Poll()
  claim(): void {}
  list(): void {}
}

const guard = () =>
  new LoadLimitGuard(new LoadLimit(new SystemClock()), new LastingLoads(), new PollLoads(), new Reflector());

/** A request of a key; `end` ends its answer. Null: it was refused. */
function ask(limits: LoadLimitGuard, route: keyof Routes, key: string): { end(): void } | null {
  const response = new EventEmitter();
  const request = { [Symbol.for("tickwheel.key")]: { id: key, namespace: key }, socket: new EventEmitter() };
  const http = { getRequest: () => request, getResponse: () => response };
  const context = { switchToHttp: () => http, getHandler: () => Routes.prototype[route] };
  try {
    limits.canActivate(context as unknown as ExecutionContext);
    return { end: () => void response.emit("close") };
  } catch {
    return null;
  }
}

test("answers that last and requests in progress are counted apart", () => {
  const taken = (limits: LoadLimitGuard, route: keyof Routes, count: number): number =>
    Array.from({ length: count }, (_, index) => ask(limits, route, `key ${index}`)).filter((one) => one !== null)
      .length;
  const listsAlone = taken(guard(), "list", 600);
  const limits = guard();
  expect([taken(limits, "stream", 1_001), taken(limits, "list", 600), taken(limits, "stream", 1)]).toEqual([
    1_000,
    listsAlone,
    0,
  ]);
});

test("polls of consumers are counted apart: a key has a thousand of them", () => {
  const limits = guard();
  const polls = Array.from({ length: 1_001 }, () => ask(limits, "claim", "key"));
  expect(polls.filter((one) => one !== null).length).toBe(1_000);
  expect(ask(limits, "stream", "key")).not.toBeNull();
});

test("a key has a hundred answers that last at once, and one that has ended makes room", () => {
  const limits = guard();
  const streams = Array.from({ length: 101 }, () => ask(limits, "stream", "key"));
  expect(streams.filter((one) => one !== null).length).toBe(100);
  streams[0]!.end();
  expect(ask(limits, "stream", "key")).not.toBeNull();
});
