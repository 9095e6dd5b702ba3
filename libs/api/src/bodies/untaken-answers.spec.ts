import { createServer, type ServerResponse } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { PassThrough } from "node:stream";
import { expect, test } from "@jest/globals";
import { SystemClock } from "@tickwheel/core";
import { ManualClock } from "@tickwheel/testing";
import { UntakenAnswers } from "./untaken-answers.js";

/** A server whose answers are longer than what a connection holds, and a client who asks it three times at once and does not read. */
async function greedyClient(answers: UntakenAnswers) {
  const asked: ServerResponse[] = [];
  const over: ServerResponse[] = [];
  const server = createServer((request, response) => {
    asked.push(response);
    answers.watch(request.socket, response, () => over.push(response));
    response.end(Buffer.alloc(16 * 1024 * 1024));
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
  return { asked, over, client, closed, stop };
}

test("a client who asks and does not read loses its connection, with all that it has asked on it", async () => {
  const { asked, over, closed, stop } = await greedyClient(new UntakenAnswers(new SystemClock(), 500));
  await closed;
  await stop();
  expect(asked).toHaveLength(3);
  expect(over).toHaveLength(3);
});

test("requests whose client leaves are over, those too that wait behind another on its connection", async () => {
  const { asked, over, client, closed, stop } = await greedyClient(new UntakenAnswers(new SystemClock(), 60_000));
  while (asked.length < 3) await new Promise(setImmediate);
  client.destroy();
  await closed;
  await stop();
  expect(new Set(over).size).toBe(3);
  expect(over).toHaveLength(3);
});

test("who waits for an answer that was not begun waits on, and what is taken in time ends nothing", async () => {
  const clock = new ManualClock();
  const answers = new UntakenAnswers(clock, 60_000);
  const call = (headersSent: boolean) => ({
    socket: new PassThrough(),
    response: Object.assign(new PassThrough(), { headersSent }),
  });
  const [slow, quick] = [call(false), call(true)];
  const over: string[] = [];
  answers.watch(slow.socket as never, slow.response, () => over.push("slow"));
  answers.watch(quick.socket as never, quick.response, () => over.push("quick"));
  await clock.advance(70_000);
  quick.response.emit("close");
  await clock.advance(200_000);
  expect([slow.socket.destroyed, quick.socket.destroyed, over]).toEqual([false, false, ["quick"]]);
  slow.response.headersSent = true;
  await clock.advance(130_000);
  expect([slow.socket.destroyed, quick.socket.destroyed]).toEqual([true, false]);
});
