import { type Fault, TickwheelError } from "@tickwheel/core";
import { validateSync, type ValidationError } from "class-validator";
import { payloadFault } from "./input-rules.js";
import { BackoffInput, DeliverInput, TaskChangesInput, TaskInput, TaskKeyInput } from "./task-input.js";

type InputClass<T> = new () => T;

/** The fields of each input; anything else is a fault. Kept beside the classes by a test. */
export const INPUT_FIELDS = new Map<InputClass<object>, readonly string[]>([
  [BackoffInput, ["kind", "delay", "initial", "max", "jitter"]],
  [DeliverInput, ["kind", "url", "headers"]],
  [
    TaskInput,
    [
      ...[
        "type",
        "payload",
        "delay",
        "scheduledAt",
        "key",
        "onConflict",
        "priority",
        "maxAttempts",
        "backoff",
        "timeout",
      ],
      ...["startDeadline", "idempotencyKey", "deliver"],
    ],
  ],
  [TaskChangesInput, ["delay", "scheduledAt", "payload", "priority", "maxAttempts"]],
  [TaskKeyInput, ["type", "key"]],
]);

const NESTED: Record<string, InputClass<object>> = { backoff: BackoffInput, deliver: DeliverInput };

/**
 * Checks a value against an input class: unknown fields, every rule, nested inputs.
 *
 * @param path where the value stands in its request, such as `tasks[3]`; `""` at the top
 * @returns the input, or every fault by path
 */
export function checkInput<T extends object>(
  inputClass: InputClass<T>,
  value: unknown,
  path = "",
): { input: T; faults: Fault[] } {
  const input = new inputClass();
  if (value === null || typeof value !== "object" || Array.isArray(value))
    return { input, faults: [{ path, message: "must be an object" }] };
  const faults = copyKnownFields(input, value as Record<string, unknown>, path);
  for (const error of validateSync(input, { skipMissingProperties: false, forbidUnknownValues: false }))
    faults.push(...faultsOf(error, path));
  return { input, faults };
}

/** As {@link checkInput}, but faults are thrown: `PAYLOAD_TOO_LARGE` when the payload's size is the only one, else `VALIDATION_FAILED`. */
export function requireInput<T extends object>(inputClass: InputClass<T>, value: unknown): T {
  const { input, faults } = checkInput(inputClass, value);
  throwFaults(faults, [input]);
  return input;
}

/** Throws the error that these faults amount to, if there are any. */
export function throwFaults(faults: readonly Fault[], inputs: readonly object[] = []): void {
  if (faults.length === 0) return;
  const tooLarge = inputs.filter((input) => "payload" in input && payloadFault(input.payload)?.tooLarge).length;
  const onlySize = tooLarge > 0 && faults.length === tooLarge;
  const list = faults.map((fault) => `${fault.path || "the input"} ${fault.message}`).join("; ");
  throw new TickwheelError(onlySize ? "PAYLOAD_TOO_LARGE" : "VALIDATION_FAILED", list, { faults });
}

function copyKnownFields(input: object, value: Record<string, unknown>, path: string): Fault[] {
  const known = INPUT_FIELDS.get(input.constructor as InputClass<object>)!;
  const faults: Fault[] = [];
  for (const field of Object.keys(value)) {
    const fieldPath = join(path, field);
    if (!known.includes(field)) {
      faults.push({ path: fieldPath, message: "is not a known field" });
      continue;
    }
    const nested = NESTED[field];
    const given = value[field];
    if (!nested || given === null || given === undefined) (input as Record<string, unknown>)[field] = given;
    else if (typeof given !== "object" || Array.isArray(given))
      faults.push({ path: fieldPath, message: "must be an object" });
    else {
      const child = new nested();
      faults.push(...copyKnownFields(child, given as Record<string, unknown>, fieldPath));
      (input as Record<string, unknown>)[field] = child;
    }
  }
  return faults;
}

function faultsOf(error: ValidationError, path: string): Fault[] {
  const here = join(path, error.property);
  const own = Object.values(error.constraints ?? {}).map((message) => ({ path: here, message }));
  return [...own, ...(error.children ?? []).flatMap((child) => faultsOf(child, here))];
}

function join(path: string, field: string): string {
  return path === "" ? field : `${path}.${field}`;
}
