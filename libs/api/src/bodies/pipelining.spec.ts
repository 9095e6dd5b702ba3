import { EventEmitter } from "node:events";
import { expect, test } from "@jest/globals";
import { isInTurn, MOST_UNANSWERED } from "./pipelining.js";

const newConnection = () => ({
  destroyed: false,
  destroy() {
    this.destroyed = true;
    return this as never;
  },
});
const ask = (socket: ReturnType<typeof newConnection>, httpVersionMajor = 1) => {
  const response = new EventEmitter();
  return { response, isTaken: isInTurn({ httpVersionMajor, socket }, response as never) };
};
const askOften = (socket: ReturnType<typeof newConnection>) =>
  Array.from({ length: MOST_UNANSWERED }, () => ask(socket));

test("one pipelined request more than may wait ends the connection, and nothing behind it is taken", () => {
  const socket = newConnection();
  expect(askOften(socket).map(({ isTaken }) => isTaken)).toEqual([true, true, true, true]);
  expect(socket.destroyed).toBe(false);
  expect(ask(socket).isTaken).toBe(false);
  expect(socket.destroyed).toBe(true);
  expect(ask(socket).isTaken).toBe(false);
});

test("a pipelined request that is answered waits no longer", () => {
  const socket = newConnection();
  for (let round = 0; round < 100; round++)
    for (const { response, isTaken } of askOften(socket)) {
      expect(isTaken).toBe(true);
      response.emit("close");
    }
  expect(socket.destroyed).toBe(false);
});

test("each connection has its own number of pipelined requests that may wait", () => {
  askOften(newConnection());
  expect(ask(newConnection()).isTaken).toBe(true);
});

test("streams of HTTP/2 do not count as pipelined requests", () => {
  const socket = newConnection();
  expect(Array.from({ length: 100 }, () => ask(socket, 2).isTaken)).not.toContain(false);
});
