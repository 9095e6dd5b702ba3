import type { Type } from "@nestjs/common";
import { KEY_OPERATIONS } from "@tickwheel/contract/operations";
import { restController } from "../calls/rest-controller.js";
import { ApiKeyApiService } from "./api-key-api.service.js";

/** REST about API keys. */
export const ApiKeysController: Type<object> = restController(KEY_OPERATIONS, ApiKeyApiService, {});
