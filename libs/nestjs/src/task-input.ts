import { CONFLICT_POLICIES, type ConflictPolicy, type Json } from "@tickwheel/core";
import { IsIn, IsInt, IsNumber, IsOptional, Max, Min, ValidateIf, ValidateNested } from "class-validator";
import { ExcludesWith, IsDuration, IsInstant, IsPayload, IsText, rule } from "./input-rules.js";

const TYPE = /^[A-Za-z0-9._:-]{1,128}$/;
/** Headers that a delivery sets itself. */
const OWN_HEADERS = /^(host|content-length|content-type|connection|transfer-encoding|webhook-.*)$/i;
const HEADER_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}$/;

/** A duration as it is written: milliseconds, or a string such as `"15m"`. */
export type DurationInput = number | string;

/** The wait between attempts. */
export class BackoffInput {
  @IsIn(["fixed", "exponential"], { message: "must be fixed or exponential" })
  kind!: "fixed" | "exponential";

  /** Of `fixed`. */
  @ValidateIf((backoff: BackoffInput) => backoff.kind === "fixed" || backoff.delay !== undefined)
  @IsDuration()
  delay?: DurationInput;

  /** Of `exponential`: the first wait; default 1 s. */
  @IsOptional()
  @IsDuration()
  initial?: DurationInput;

  /** Of `exponential`: the longest wait; default 1 h. */
  @IsOptional()
  @IsDuration()
  max?: DurationInput;

  /** Of `exponential`: a share, 0 … 1; default 0.2. */
  @IsOptional()
  @IsNumber({}, { message: "must be a number" })
  @Min(0, { message: "must be at least 0" })
  @Max(1, { message: "must be at most 1" })
  jitter?: number;
}

/** Where a webhook task goes. */
export class DeliverInput {
  @IsIn(["webhook"], { message: "must be webhook" })
  kind!: "webhook";

  @rule("isWebhookUrl", (value) =>
    typeof value === "string" &&
    value.length <= 2_048 &&
    URL.canParse(value) &&
    /^https?:$/.test(new URL(value).protocol)
      ? null
      : "must be an http or https URL of at most 2048 characters",
  )
  url!: string;

  @IsOptional()
  @rule("isHeaders", headersFault)
  headers?: Record<string, string>;
}

/** A task as a client gives it, by REST, GraphQL or code. One set of rules for all three. */
export class TaskInput {
  @rule("isType", (value) =>
    typeof value === "string" && TYPE.test(value) ? null : "must be 1 to 128 characters of A-Z a-z 0-9 . _ : -",
  )
  type!: string;

  /** Any JSON, at most 64 KiB and 32 levels deep. */
  @IsPayload()
  payload?: Json;

  @IsOptional()
  @IsDuration()
  delay?: DurationInput;

  @IsOptional()
  @IsInstant()
  @ExcludesWith("delay")
  scheduledAt?: string;

  @IsOptional()
  @IsText(1, 256)
  key?: string;

  @IsOptional()
  @IsIn(CONFLICT_POLICIES, { message: `must be one of ${CONFLICT_POLICIES.join(", ")}` })
  onConflict?: ConflictPolicy;

  @IsOptional()
  @IsInt({ message: "must be an integer" })
  @Min(0, { message: "must be at least 0" })
  @Max(9, { message: "must be at most 9" })
  priority?: number;

  @IsOptional()
  @IsInt({ message: "must be an integer" })
  @Min(1, { message: "must be at least 1" })
  @Max(1_000, { message: "must be at most 1000" })
  maxAttempts?: number;

  @IsOptional()
  @ValidateNested({ message: "must be an object" })
  backoff?: BackoffInput;

  @IsOptional()
  @IsDuration({ minMs: 1, maxMs: 86_400_000 })
  timeout?: DurationInput;

  /** From the scheduled time: a task that has not started by then ends `expired`. Default: none. */
  @IsOptional()
  @IsDuration({ minMs: 1 })
  startDeadline?: DurationInput;

  @IsOptional()
  @IsText(1, 256)
  idempotencyKey?: string;

  @IsOptional()
  @ValidateNested({ message: "must be an object" })
  deliver?: DeliverInput;
}

/** What may be changed of a scheduled task. */
export class TaskChangesInput {
  @IsOptional()
  @IsDuration()
  delay?: DurationInput;

  @IsOptional()
  @IsInstant()
  @ExcludesWith("delay")
  scheduledAt?: string;

  @IsPayload()
  payload?: Json;

  @IsOptional()
  @IsInt({ message: "must be an integer" })
  @Min(0, { message: "must be at least 0" })
  @Max(9, { message: "must be at most 9" })
  priority?: number;

  @IsOptional()
  @IsInt({ message: "must be an integer" })
  @Min(1, { message: "must be at least 1" })
  @Max(1_000, { message: "must be at most 1000" })
  maxAttempts?: number;
}

/** Names the live task of a key. */
export class TaskKeyInput {
  @rule("isType", (value) =>
    typeof value === "string" && TYPE.test(value) ? null : "must be 1 to 128 characters of A-Z a-z 0-9 . _ : -",
  )
  type!: string;

  @IsText(1, 256)
  key!: string;
}

function headersFault(value: unknown): string | null {
  if (value === null || typeof value !== "object" || Array.isArray(value)) return "must be an object of strings";
  const entries = Object.entries(value);
  if (entries.length > 32) return "must hold at most 32 headers";
  for (const [name, text] of entries) {
    if (!HEADER_NAME.test(name) || OWN_HEADERS.test(name)) return `must not set the header ${JSON.stringify(name)}`;
    if (typeof text !== "string" || text.length > 1_024 || /[^\t\x20-\x7e]/.test(text))
      return `must give the header ${name} as printable ASCII of at most 1024 characters`;
  }
  return null;
}
