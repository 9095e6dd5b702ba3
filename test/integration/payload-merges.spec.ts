import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { Injectable } from "@nestjs/common";
import type { Fault } from "@tickwheel/core";
import {
  type DelayTask,
  DelayTaskHandler,
  type DelayTaskService,
  defineTask,
  type TickwheelError,
} from "@tickwheel/nestjs";
import * as z from "zod";
import type { ApiClient } from "../support/api-client.js";
import { announcingNodes } from "../support/app/announcing-nodes.js";
import type { HostedApi } from "../support/app/hosted-api.js";
import { startTestPostgres, type TestPostgres } from "../support/servers/test-postgres.js";

const MOST = 10;
const schema = z.object({ uploadId: z.string(), chunks: z.number().max(MOST) });
const Collect = defineTask("upload.collect", { schema, version: 2 });
const OldCollect = defineTask("upload.collect", { schema, version: 1 });

@Injectable()
class Handlers {
  @DelayTaskHandler(Collect)
  collect(_task: DelayTask<z.output<typeof schema>>): void {}
}

let postgres: TestPostgres;
/** It has the handler and its definition. */
let owner: HostedApi;
/** It knows what the other one announces. */
let stranger: HostedApi;
/** The tasks of the node that is asked. */
let tasks: DelayTaskService;
let api: ApiClient;
let keys = 0;
let merging: { key: string; onConflict: "merge"; merge: { chunks: "add" }; delay: "1d" };

beforeAll(async () => {
  postgres = await startTestPostgres();
  ({ owner, stranger } = await announcingNodes(postgres.url, Handlers, ([type]) =>
    expect(type?.policy?.payloadVersion).toBe(2),
  ));
});
beforeEach(() => {
  ({ tasks, api } = owner);
  merging = { key: `upload-${++keys}`, onConflict: "merge", merge: { chunks: "add" }, delay: "1d" };
});
afterAll(async () => {
  await stranger?.app.close();
  await owner?.app.close();
  await postgres?.stop();
});

/** Merges by the type's name, as a caller who knows no more. */
const merge = (payload: object) => tasks.schedule("upload.collect", payload, merging);

/** The code of a refusal and the paths of its faults. */
async function refusalOf(work: Promise<unknown>): Promise<string[]> {
  const error = (await work.then(
    () => null,
    (thrown: unknown) => thrown,
  )) as TickwheelError;
  return [error.code, ...error.faults.map(({ path }) => path)];
}

describe.each(["its handler's node", "a node that knows what is announced"])("by %s", (name) => {
  beforeEach(() => {
    if (name !== "its handler's node") ({ tasks, api } = stranger);
  });

  test("a merge whose result does not fit the schema is refused with its path, and the task is as it was", async () => {
    const { task } = await merge({ uploadId: "u", chunks: 7 });
    expect(await refusalOf(merge({ chunks: 4 }))).toEqual(["VALIDATION_FAILED", "payload.chunks"]);
    expect(await tasks.get(task.id)).toMatchObject({ payload: task.payload, version: task.version, dueAt: task.dueAt });
    expect((await merge({ chunks: 3 })).task.payload).toEqual({ uploadId: "u", chunks: 10 });
  });

  test("the first payload of a key that is merged must fit the schema by itself", async () => {
    expect(await refusalOf(merge({ chunks: 4 }))).toEqual(["VALIDATION_FAILED", "payload.uploadId"]);
    expect((await merge({ uploadId: "u", chunks: 4 })).outcome).toBe("created");
  });

  test("a merge of another payload version is a conflict that names both versions", async () => {
    await tasks.schedule(OldCollect, { uploadId: "u", chunks: 1 }, merging);
    await expect(merge({ chunks: 1 })).rejects.toMatchObject({
      code: "MERGE_CONFLICT",
      message: "payload has version 2, and the stored payload has version 1: only equal ones can be merged",
    });
  });

  test("each merge in a bulk is answered for itself", async () => {
    const items = [{ uploadId: "u", chunks: 5 }, { chunks: 6 }, { chunks: 5 }];
    const { body } = await api.post<{ results: { status: string; error?: { errors: Fault[] } }[] }>("/v1/tasks/bulk", {
      tasks: items.map((payload) => ({ type: "upload.collect", payload, ...merging })),
    });
    expect(body.results.map(({ status }) => status)).toEqual(["created", "rejected", "merged"]);
    expect(body.results[1]!.error!.errors.map(({ path }) => path)).toEqual(["tasks[1].payload.chunks"]);
  });

  test("REST and GraphQL tell the path of a merge that does not fit the schema", async () => {
    await merge({ uploadId: "u", chunks: MOST });
    const given = { type: "upload.collect", payload: { chunks: 1 }, ...merging };
    const rest = await api.post<{ errors: Fault[] }>("/v1/tasks", given);
    expect([rest.status, rest.body.errors.map(({ path }) => path)]).toEqual([400, ["payload.chunks"]]);
    const { body } = await api.post<{ errors: { extensions: { code: string } }[] }>("/graphql", {
      query: "mutation($input: TaskInput!) { scheduleTask(input: $input) { task { id } } }",
      variables: { input: given },
    });
    expect(body.errors[0]!.extensions.code).toBe("VALIDATION_FAILED");
  });
});

test("merges that fit stay, among many merges at once by two nodes", async () => {
  await merge({ uploadId: "u", chunks: 0 });
  const calls = Array.from({ length: 30 }, (_, place) =>
    [owner, stranger][place % 2]!.tasks.schedule("upload.collect", { chunks: 1 }, merging),
  );
  const done = await Promise.allSettled(calls);
  expect(done.filter(({ status }) => status === "fulfilled")).toHaveLength(MOST);
  const { task } = await merge({});
  expect(task.payload).toEqual({ uploadId: "u", chunks: MOST });
});
