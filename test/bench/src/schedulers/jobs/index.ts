import type { Job } from "../job.js";
import { bulk } from "./bulk.js";
import { burst } from "./burst.js";
import { cancel } from "./cancel.js";
import { crash } from "./crash.js";
import { create, createOne } from "./create.js";
import { footprint } from "./footprint.js";
import { heldKey } from "./held-key.js";
import { heldSnapshot } from "./held-snapshot.js";
import { idle } from "./idle.js";
import { limit } from "./limit.js";
import { limited } from "./limited.js";
import { merge } from "./merge.js";
import { operations } from "./operations.js";
import { pull } from "./pull.js";
import { reads } from "./reads.js";
import { rest } from "./rest.js";
import { soak } from "./soak.js";
import { tags } from "./tags.js";
import { steady } from "./steady.js";

/** In the order in which the help lists them. */
export const jobs: readonly Job[] = [
  create,
  createOne,
  bulk,
  rest,
  steady,
  burst,
  cancel,
  crash,
  limited,
  merge,
  heldKey,
  heldSnapshot,
  operations,
  pull,
  tags,
  reads,
  soak,
  idle,
  footprint,
  limit,
];
