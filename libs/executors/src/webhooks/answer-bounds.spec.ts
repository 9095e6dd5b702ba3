import { expect, test } from "@jest/globals";
import { EventEmitter } from "node:events";
import type { ClientRequest } from "node:http";
import { AnswerBounds, MAX_ANSWER_BYTES, MAX_ANSWER_PIECES } from "./answer-bounds.js";

/** A request and its connection that only tell what comes. */
function answered(): { bounds: AnswerBounds; connection: EventEmitter; request: EventEmitter; ended: unknown[] } {
  const ended: unknown[] = [];
  const request = Object.assign(new EventEmitter(), { destroy: (error: unknown) => ended.push(error) });
  const connection = new EventEmitter();
  const bounds = new AnswerBounds(request as unknown as ClientRequest);
  request.emit("socket", connection);
  return { bounds, connection, request, ended };
}

const comes = (connection: EventEmitter, { pieces, bytes }: { pieces: number; bytes: number }): void => {
  for (let piece = 0; piece < pieces; piece++) connection.emit("data", Buffer.alloc(bytes));
};

test.each([
  ["single bytes", { pieces: MAX_ANSWER_PIECES, bytes: 1 }, /more than 4096 pieces/],
  ["long pieces", { pieces: 16, bytes: MAX_ANSWER_BYTES / 16 }, /more than 1048576 bytes/],
])("an answer in %s that goes beyond its bound ends the request, once", (_, most, fault) => {
  const { bounds, connection, ended } = answered();
  comes(connection, most);
  expect([bounds.fault, ended]).toEqual([null, []]);
  comes(connection, { pieces: 3, bytes: 1 });
  expect(bounds.fault?.message).toMatch(fault);
  expect(ended).toEqual([bounds.fault]);
});

test("a connection that is used again is left alone when its request has closed", () => {
  const { connection, request } = answered();
  expect(connection.listenerCount("data")).toBe(1);
  request.emit("close");
  expect(connection.listenerCount("data")).toBe(0);
});
