import { expect, test } from "@jest/globals";
import * as z from "zod";
import { payloadSchemaOf } from "./payload-schema.js";
import { readPayload } from "./read-payload.js";

const schema = payloadSchemaOf("order", z.object({ id: z.string(), by: z.string() }));
const upgrade = (old: object, from: number): object => ({ by: `version ${from}`, ...old });
const rules = { schema, version: 2, upgrade };

test("an older payload is lifted, a payload of no version as version 0", async () => {
  expect(await readPayload(rules, { id: "1" }, null)).toEqual({ payload: { id: "1", by: "version 0" } });
  expect(await readPayload(rules, { id: "1" }, 1)).toEqual({ payload: { id: "1", by: "version 1" } });
});

test("a payload of the handler's version is not lifted, and ends dead where it does not fit", async () => {
  expect(await readPayload(rules, { id: "1", by: "me" }, 2)).toEqual({ payload: { id: "1", by: "me" } });
  const misfit = expect.stringMatching(/^The payload does not fit: payload\.by /);
  expect(await readPayload(rules, { id: "secret" }, 2)).toEqual({ misfit, retryable: false });
});

test("a newer payload that fits is taken; a newer one that does not is left to a node that knows its version", async () => {
  expect(await readPayload(rules, { id: "1", by: "me", more: 1 }, 3)).toEqual({ payload: { id: "1", by: "me" } });
  const misfit = expect.stringMatching(
    /^The payload does not fit: payload version 3, this handler knows 2: payload\.by /,
  );
  expect(await readPayload(rules, { id: "1" }, 3)).toEqual({ misfit, retryable: true });
});

test("an error that a payload's upgrade throws is the caller's to hear", async () => {
  const failing = { schema, version: 2, upgrade: () => Promise.reject(new Error("no such order")) };
  await expect(readPayload(failing, {}, 1)).rejects.toThrow("no such order");
});
