import type { IncomingMessage, ServerResponse } from "node:http";
import { PassThrough } from "node:stream";
import { afterEach, beforeEach, expect, jest, test } from "@jest/globals";
import { MAX_BULK_BYTES, type FrameworkRequest, leaveUnread, requestText } from "./request-body.js";

const MEBIBYTE = 1024 * 1024;

beforeEach(() => void jest.useFakeTimers({ doNotFake: ["nextTick"] }));
afterEach(() => void jest.useRealTimers());

/** A request whose body the test sends piece by piece. */
function sending(owner: string) {
  const body = new PassThrough({ highWaterMark: 64 * MEBIBYTE });
  const request = Object.assign(body, { headers: { "content-type": "application/json" }, socket: new PassThrough() });
  const response = Object.assign(new PassThrough(), { shouldKeepAlive: true });
  leaveUnread(request as unknown as IncomingMessage);
  const text = requestText(request as unknown as FrameworkRequest, response as unknown as ServerResponse, {
    owner,
    maxBytes: MAX_BULK_BYTES,
  });
  const outcome = text.then(
    ({ length }) => length,
    (error: Error) => error.message,
  );
  return { body, response, outcome };
}

/** A body of so many bytes, whole; its response is not over. */
async function sent(owner: string, bytes: number) {
  const one = sending(owner);
  one.body.end(Buffer.alloc(bytes, "x"));
  return { ...one, outcome: await one.outcome };
}

test("a body that does not end is given up after a minute, and its connection with it", async () => {
  const { body, response, outcome } = sending("1");
  body.write("{");
  jest.advanceTimersByTime(59_000);
  body.write(" ");
  jest.advanceTimersByTime(2_000);
  expect([await outcome, response.shouldKeepAlive]).toEqual(["The body took too long.", false]);
});

test("long bodies of one key take half of what the node holds at most, until their responses are over", async () => {
  const first = await sent("2", 15 * MEBIBYTE);
  const second = await sent("2", 15 * MEBIBYTE);
  const third = await sent("2", 15 * MEBIBYTE);
  const short = await sent("2", 60_000);
  const other = await sent("3", 15 * MEBIBYTE);
  expect([first, second, third, short, other].map(({ outcome }) => outcome)).toEqual([
    15 * MEBIBYTE,
    15 * MEBIBYTE,
    expect.stringContaining("as many long bodies"),
    60_000,
    15 * MEBIBYTE,
  ]);
  for (const { response } of [first, second, third, short, other]) response.destroy();
  await new Promise(process.nextTick);
  expect((await sent("2", 15 * MEBIBYTE)).outcome).toBe(15 * MEBIBYTE);
});
