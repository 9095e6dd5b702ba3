import type { Type } from "@nestjs/common";
import { PAGE_SESSION_OPERATIONS } from "@tickwheel/contract/operations";
import { restController } from "../calls/rest-controller.js";
import { SessionApiService } from "./session-api.service.js";

/** REST about the page's sessions. */
export const SessionsController: Type<object> = restController(PAGE_SESSION_OPERATIONS, SessionApiService, {});
