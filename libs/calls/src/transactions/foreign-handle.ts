import { TickwheelError } from "@tickwheel/core";

/** Whether a value has a method of this name. */
export function hasMethod(value: unknown, name: string): boolean {
  return typeof (value as Record<string, unknown> | null | undefined)?.[name] === "function";
}

/** A `manager` that is no transaction of the module's library. `cure` begins with what to give. */
export function foreignHandle(lack: string, cure: string): TickwheelError {
  return new TickwheelError("TRANSACTION_UNAVAILABLE", `The given \`manager\` ${lack}: give ${cure}.`);
}
