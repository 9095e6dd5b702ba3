export type * from "./calls.generated.js";
export type { CallOptions, IfMatchOption, OnceOption, WaitOption } from "./call-options.js";
export { ClientError, type ClientErrorCode, type ClientErrorFacts } from "./client-error.js";
export type { ConsumeOptions, PulledTask, PullHandler, WorkContext } from "./consumer.js";
export { NonRetryableError, RetryLater } from "./handler-errors.js";
export { TickwheelClient, type TickwheelClientOptions } from "./tickwheel-client.js";
