import { MOST_WAIT_SECONDS } from "@tickwheel/contract/documents";

const WAIT = /(?:^|[,;])\s*wait\s*=\s*"?(\d{1,9})"?\s*(?=$|[,;])/i;

/**
 * How many seconds a caller prefers to wait for the answer, at most 60; 0: none. As RFC 7240 has it: other preferences,
 * and what cannot be read, are passed over.
 *
 * @example waitSecondsOf("respond-async, wait=10") // 10
 */
export function waitSecondsOf(prefer: unknown): number {
  const [, seconds] = typeof prefer === "string" ? (WAIT.exec(prefer) ?? []) : [];
  return seconds === undefined ? 0 : Math.min(Number(seconds), MOST_WAIT_SECONDS);
}

const MINIMAL = /(?:^|[,;])\s*return\s*=\s*"?minimal"?\s*(?=$|[,;])/i;

/**
 * Whether a caller prefers an answer without the thing that was changed, as RFC 7240 has it.
 *
 * @example prefersMinimal("return=minimal") // true
 */
export function prefersMinimal(prefer: unknown): boolean {
  return typeof prefer === "string" && MINIMAL.test(prefer);
}
