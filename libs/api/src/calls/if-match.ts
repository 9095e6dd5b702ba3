import { TickwheelError } from "@tickwheel/core";

/**
 * The version that an `If-Match` header asks for, bare or quoted; null without the header.
 *
 * @throws TickwheelError `VALIDATION_FAILED` for anything else
 * @example expectedVersionOf('"3"') // 3
 */
export function expectedVersionOf(header: string | undefined): number | null {
  if (header === undefined) return null;
  const match = /^(?:"(\d{1,9})"|(\d{1,9}))$/.exec(header.trim());
  if (match) return Number(match[1] ?? match[2]);
  const message = 'must be a version, such as 3 or "3"';
  throw new TickwheelError("VALIDATION_FAILED", `If-Match ${message}`, { faults: [{ path: "If-Match", message }] });
}
