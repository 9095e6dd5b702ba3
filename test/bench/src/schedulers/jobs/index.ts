import type { Job } from "../job.js";
import { bulk } from "./bulk.js";
import { cancel } from "./cancel.js";
import { create, createOne } from "./create.js";
import { limit } from "./limit.js";

/** In the order in which the help lists them. */
export const jobs: readonly Job[] = [create, createOne, bulk, cancel, limit];
