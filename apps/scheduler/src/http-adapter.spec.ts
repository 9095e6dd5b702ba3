import { expect, test } from "@jest/globals";
import { httpAdapter } from "./http-adapter.js";

test("a part of an address may be as long as any name, and longer ones reach their route, too", async () => {
  const fastify = httpAdapter([]).getInstance();
  fastify.get<{ Params: { type: string } }>("/v1/types/:type", ({ params }) => params.type);
  for (const length of [100, 101, 128, 1_000]) {
    const { statusCode, body } = await fastify.inject(`/v1/types/${"t".repeat(length)}`);
    expect([statusCode, body.length]).toEqual([200, length]);
  }
  await fastify.close();
});
