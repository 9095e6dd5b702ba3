import { Readable } from "node:stream";
import { StreamableFile, type Type } from "@nestjs/common";
import { REPLAYED } from "@tickwheel/contract/documents";
import { BATCH_OPERATIONS } from "@tickwheel/contract/operations";
import { type Forms, restController } from "../calls/rest-controller.js";
import { bulkJson, pageJson } from "../tasks/task-json.js";
import { BatchApiService } from "./batch-api.service.js";

/** How REST answers what is not simply what the service answers. */
const FORMS: Forms<typeof BATCH_OPERATIONS.rows, BatchApiService> = {
  addMembers: ({ batch, results, replayed }, reply) => {
    if (replayed) reply.header(REPLAYED, "true");
    return new StreamableFile(Readable.from(bulkJson(results, { batch })));
  },
  members: pageJson,
};

/** REST about batches. */
export const BatchesController: Type<object> = restController(BATCH_OPERATIONS, BatchApiService, FORMS);
