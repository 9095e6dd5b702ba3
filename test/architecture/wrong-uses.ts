import { WRONG_DURATIONS } from "./wrong-uses/durations.js";
import { WRONG_HANDLERS } from "./wrong-uses/handlers.js";
import { WRONG_LOOKUPS } from "./wrong-uses/lookups.js";
import { WRONG_MANY } from "./wrong-uses/many-tasks.js";
import { WRONG_MODULES } from "./wrong-uses/modules.js";
import { WRONG_OPTIONS } from "./wrong-uses/options.js";
import { WRONG_PAYLOADS } from "./wrong-uses/payloads.js";
import { WRONG_PUBLISHING } from "./wrong-uses/publishing.js";
import type { WrongUse } from "./wrong-uses/wrong-use.js";

/** What stands above all wrong uses. */
export const WRONG_USES_PROLOGUE = `
import { DelayTaskApiModule } from "@tickwheel/api";
import { ClusterCron, ClusterInterval, type DelayedClient, DelayedPublish, type DelayTask, type DelayTaskContext, DelayTaskHandler, DelayTaskModule, type DelayTaskService, defineTask, OnDelayTaskEvent, type PayloadOf, RetryAtError, type TaskDeadEvent, TickwheelError } from "@tickwheel/nestjs";
import type { TickwheelNode } from "@tickwheel/node";
import { ManualClock } from "@tickwheel/testing";
import { type DelayTaskTesting, DelayTaskTestingModule, taskOf } from "@tickwheel/testing/nest";
import { Cart, dateSchema, Settings, Upload } from "./right-types.js";
import { CancelOrder, orderSchema, Pay, RefundOrder, ShipOrder } from "./right-uses.js";
declare const tasks: DelayTaskService;
declare const orders: DelayedClient;
declare const node: TickwheelNode;
declare const ctx: DelayTaskContext;
declare const testing: DelayTaskTesting;
declare const text: string;
declare const minutes: number;
declare const upload: PayloadOf<typeof Upload>;
`;

/**
 * By subject. To add one: a line that reads well below "the compiler refuses …", the use, and what the compiler says.
 * What it must take is in `right-uses.ts` and `right-types.ts`.
 */
export const WRONG_USES: readonly WrongUse[] = [
  ...WRONG_DURATIONS,
  ...WRONG_PAYLOADS,
  ...WRONG_OPTIONS,
  ...WRONG_MANY,
  ...WRONG_HANDLERS,
  ...WRONG_LOOKUPS,
  ...WRONG_MODULES,
  ...WRONG_PUBLISHING,
];
