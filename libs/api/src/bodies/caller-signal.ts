import { type FrameworkRequest, type FrameworkResponse, rawResponse } from "./request-body.js";
import { whenOver } from "./request-end.js";

/** Fires when a request is over: also when its client leaves before the answer. Work for it can end then. */
export function callerSignal(request: FrameworkRequest, response: FrameworkResponse): AbortSignal {
  const controller = new AbortController();
  whenOver((request.raw ?? request).socket, rawResponse(response), () => controller.abort());
  return controller.signal;
}
