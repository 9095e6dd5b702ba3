import type { Type } from "@nestjs/common";
import { MANY_OPERATIONS } from "@tickwheel/contract/operations";
import { restController } from "../calls/rest-controller.js";
import { OperationApiService } from "./operation-api.service.js";

/** REST about operations on many tasks. */
export const OperationsController: Type<object> = restController(MANY_OPERATIONS, OperationApiService, {});
