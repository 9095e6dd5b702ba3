import { createServer } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { PassThrough } from "node:stream";
import { expect, test } from "@jest/globals";
import { ManualClock } from "@tickwheel/testing";
import { type AnswerSocket, StalledAnswers } from "./stalled-answers.js";

const LONG = Buffer.alloc(32 * 1024 * 1024);

/**
 * A server whose answers are longer than what a connection holds, and a client who asks it and reads what the test lets
 * him.
 */
async function greedyClient(answers: StalledAnswers) {
  const server = createServer((request, response) => {
    answers.watch(request.socket as never, response);
    response.end(LONG);
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const connected = new Promise<Socket>((resolve) => server.once("connection", resolve));
  const client = connect((server.address() as AddressInfo).port, "127.0.0.1").pause();
  client.on("error", () => undefined);
  client.write("GET / HTTP/1.1\r\nhost: a\r\n\r\n".repeat(3));
  const socket = await connected;
  const closed = new Promise((resolve) => socket.once("close", resolve));
  const stop = async (): Promise<void> => {
    client.destroy();
    await new Promise((stopped) => server.close(stopped));
  };
  return { client, socket, closed, stop };
}

test("a client that takes a little of an answer each minute keeps its connection, and loses it once it takes nothing", async () => {
  const clock = new ManualClock();
  const { client, socket, closed, stop } = await greedyClient(new StalledAnswers(clock, 60_000));
  const left = () => (socket as unknown as AnswerSocket)._handle!.writeQueueSize!;
  while (!(left() > 0)) await new Promise(setImmediate);
  for (let minute = 0; minute < 5; minute++) {
    const before = left();
    while (left() === before) {
      client.read();
      await new Promise(setImmediate);
    }
    await clock.advance(58_000);
    expect(socket.destroyed).toBe(false);
  }
  await clock.advance(80_000);
  await closed;
  await stop();
});

/** A connection of which the test says what was taken. */
function connection() {
  const socket = Object.assign(new PassThrough(), { bytesWritten: 0 }) as unknown as AnswerSocket & PassThrough;
  const state = { bytesWritten: 0, writableLength: 0 };
  Object.defineProperties(socket, {
    bytesWritten: { get: () => state.bytesWritten },
    writableLength: { get: () => state.writableLength },
  });
  return { socket, state, response: { writableFinished: false } };
}

test("a client that waits for an answer that was not begun waits on", async () => {
  const clock = new ManualClock();
  const answers = new StalledAnswers(clock, 60_000);
  const { socket, state, response } = connection();
  answers.watch(socket, response);
  await clock.advance(300_000);
  expect(socket.destroyed).toBe(false);
  Object.assign(state, { bytesWritten: 100, writableLength: 100 });
  await clock.advance(55_000);
  expect(socket.destroyed).toBe(false);
  await clock.advance(40_000);
  expect(socket.destroyed).toBe(true);
});

test("an answer of other code on a connection is not judged, once our own answers are taken", async () => {
  const clock = new ManualClock();
  const answers = new StalledAnswers(clock, 60_000);
  const { socket, state, response } = connection();
  answers.watch(socket, response);
  response.writableFinished = true;
  Object.assign(state, { bytesWritten: 100, writableLength: 100 });
  await clock.advance(300_000);
  expect(socket.destroyed).toBe(false);
  answers.watch(socket, { writableFinished: false });
  await clock.advance(100_000);
  expect(socket.destroyed).toBe(true);
});
