import type { BackoffSetting } from "@tickwheel/contract";
import type { DurationInput, Kept, KeptAsGiven, KeptFields } from "@tickwheel/core";
import { invalid } from "../payloads/invalid.js";
import { type AnySchema, payloadSchemaOf, type SchemaInput, type SchemaOutput } from "../payloads/payload-schema.js";
import { isPayloadVersion, MAX_PAYLOAD_VERSION } from "../payloads/payload-version.js";
import type { PayloadRules } from "../payloads/read-payload.js";

/**
 * What a type's tasks get unless their creator says otherwise. A handler's defaults hold for the whole cluster: the
 * nodes that run it announce them. A definition's defaults are options of the caller who schedules by it.
 */
export interface TaskDefaults {
  /** Attempts before the task is dead; default 3, with a ladder one more than its rungs. */
  maxAttempts?: number | undefined;
  /** Default: exponential, 1 s, 1 h, jitter 0.2. */
  backoff?: BackoffSetting | null | undefined;
  /** How long one attempt may take before its signal aborts; default 60 s. */
  timeout?: DurationInput | undefined;
  /**
   * How long after its scheduled time a task may still start, before it ends `expired`; milliseconds or `"5m"`.
   * Default: however late.
   */
  startDeadline?: DurationInput | undefined;
  /** 0 first … 9, among tasks that are due together; default 5. */
  priority?: number | undefined;
}

interface Upgrading<Schema extends AnySchema> {
  /** A method, so that one may name the type of the old payloads that it takes. */
  upgrade(payload: unknown, fromVersion: number): SchemaInput<Schema> | Promise<SchemaInput<Schema>>;
}

/** The defaults of a type whose payloads have a schema. */
export interface SchemaTaskOptions<Schema extends AnySchema> extends TaskDefaults {
  /**
   * A Standard Schema (zod, valibot, arktype, …), or a class of class-validator, for which class-validator and
   * class-transformer must be installed. It must answer at once, without a promise. The stored payload is the one that
   * was given; the handler gets what the schema makes of it. No default.
   */
  schema: Schema;
  /** The version of the payload, 1 … 32,767: one more whenever its form changes. Default: none. */
  version?: number | undefined;
  /**
   * Makes a payload of an older version one of this, before its condition and its handler see it; what it throws is a
   * failed attempt. `fromVersion` 0: its creator knew none. Default: the schema takes it as it is.
   */
  upgrade?: Upgrading<Schema>["upgrade"] | undefined;
}

/**
 * A typed name for a task: `schedule` and `@DelayTaskHandler` take it and agree on the payload's type. `Payload` is
 * what the handler gets, `Input` what the caller who schedules gives.
 */
export interface TaskDefinition<Payload, Input = Payload> {
  readonly type: string;
  readonly defaults: TaskDefaults;
  /** How its payloads are checked and lifted. Absent: it has no schema. */
  readonly payload?: PayloadRules;
  /** Exists for the compiler alone. */
  readonly payloadType?: Payload;
  /** The same. */
  readonly inputType?: Input;
}

/** A schema may only take what JSON keeps, for that is stored: of dates a text that it makes a Date of. */
type KeptInput<Input> = [Input] extends [Kept<Input>]
  ? unknown
  : { schema: "This schema takes what JSON does not keep, such as a Date: let it take a text" };

/** What a call gives to a task: what its definition takes; of a type that is named by a text any JSON. */
export type GivenTo<Task, Given> = Task extends TaskDefinition<unknown, infer Input> ? Input : KeptAsGiven<Given>;

/** What is known of the fields of a payload where a call gives it: of a type that is named by a text some of them. */
export type FieldsGivenTo<Task, Given> =
  Task extends TaskDefinition<unknown, infer Input> ? Input : Given & Readonly<Record<string, unknown>>;

/** The payload that the handler of a definition gets: `PayloadOf<typeof CancelOrder>`. */
export type PayloadOf<Definition> = Definition extends TaskDefinition<infer Payload, unknown> ? Payload : never;

/** The payload that is given to a definition, and stored: `InputOf<typeof CancelOrder>`. */
export type InputOf<Definition> = Definition extends TaskDefinition<unknown, infer Input> ? Input : never;

/**
 * Names a task and its payload's type once, for those who schedule it and the handler that runs it. With a schema every
 * payload is checked where it comes in, and again before its handler gets it.
 *
 * @param type 1–128 of `A-Z a-z 0-9 . _ : -`
 * @throws TickwheelError `CONFIGURATION_INVALID`: its schema is none, its library is not installed, its version is none
 * @example
 * export const CancelOrder = defineTask("order.cancel", { schema: z.object({ orderId: z.string() }), maxAttempts: 5 });
 * await delayTasks.schedule(CancelOrder, { orderId: "42" }, { delay: "15m", key: "42" });
 * @example
 * export const CancelOrder = defineTask("order.cancel", {
 *   schema: z.object({ orderId: z.string(), by: z.string() }),
 *   version: 2,
 *   upgrade: (old: { orderId: string }) => ({ ...old, by: "unknown" }),
 * });
 * @example export const CancelOrder = defineTask<{ orderId: string }>("order.cancel", { maxAttempts: 5 });
 */
export function defineTask<Schema extends AnySchema>(
  type: string,
  options: SchemaTaskOptions<Schema> & KeptInput<SchemaInput<Schema>>,
): TaskDefinition<SchemaOutput<Schema>, SchemaInput<Schema>>;
export function defineTask<Payload extends KeptFields<Payload>>(
  type: string,
  defaults?: TaskDefaults,
): TaskDefinition<Payload>;
export function defineTask(
  type: string,
  { schema, version, upgrade, ...defaults }: Partial<SchemaTaskOptions<AnySchema>> = {},
): TaskDefinition<never> {
  if (version !== undefined && !isPayloadVersion(version))
    throw invalid(type, `has a version that is no integer of 1 to ${MAX_PAYLOAD_VERSION}`);
  if (schema === undefined && (version !== undefined || upgrade !== undefined))
    throw invalid(type, "has a version or an upgrade, and no schema");
  if (upgrade !== undefined && version === undefined) throw invalid(type, "has an upgrade, and no version");
  if (schema === undefined) return { type, defaults };
  return { type, defaults, payload: { schema: payloadSchemaOf(type, schema), version: version ?? null, upgrade } };
}
