import { HttpStatus, type Type } from "@nestjs/common";
import { SETTING_OPERATIONS } from "@tickwheel/contract/operations";
import { type Forms, type Reply, restController } from "../calls/rest-controller.js";
import { SettingApiService } from "./setting-api.service.js";

/** 200 where every node obeys. 202: it is made, and some node may not obey it yet. */
function whenObeyed<Answer extends { waitingFor: readonly string[] | null }>(answer: Answer, reply: Reply): Answer {
  reply.status(answer.waitingFor?.length === 0 ? HttpStatus.OK : HttpStatus.ACCEPTED);
  return answer;
}

/** How REST answers what is not simply what the service answers. */
const FORMS: Forms<typeof SETTING_OPERATIONS.rows, SettingApiService> = {
  pauseType: whenObeyed,
  resumeType: whenObeyed,
  updateType: whenObeyed,
  pauseKey: whenObeyed,
  resumeKey: whenObeyed,
  pauseNamespace: whenObeyed,
  resumeNamespace: whenObeyed,
  updateNamespace: whenObeyed,
};

/** REST about what people set at run time. */
export const SettingsController: Type<object> = restController(SETTING_OPERATIONS, SettingApiService, FORMS);
