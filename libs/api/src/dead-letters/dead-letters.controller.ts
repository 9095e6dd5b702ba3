import type { Type } from "@nestjs/common";
import { DEAD_OPERATIONS } from "@tickwheel/contract/operations";
import { restController } from "../calls/rest-controller.js";
import { DeadLetterApiService } from "./dead-letter-api.service.js";

/** REST about dead tasks by cause. */
export const DeadLettersController: Type<object> = restController(DEAD_OPERATIONS, DeadLetterApiService, {});
