/**
 * The print of an error as people read and write it: twelve hex digits. What a print is tells `printOf`; nothing here
 * needs more than the language, so a page can bundle it.
 */

/** A print is a whole number of so many bits, which every number of JavaScript holds exactly. */
export const PRINT_BITS = 48;
const DIGITS = PRINT_BITS / 4;

/** What a fingerprint is made of, as a pattern. Upper case is none: one print has one text. */
export const FINGERPRINT_PATTERN = `^[0-9a-f]{${DIGITS}}$`;

const FINGERPRINT = new RegExp(FINGERPRINT_PATTERN);

export function isFingerprint(text: string): boolean {
  return FINGERPRINT.test(text);
}

/** @example fingerprintOf(2748) // "000000000abc" */
export function fingerprintOf(print: number): string {
  return print.toString(16).padStart(DIGITS, "0");
}

/** The print that a sound fingerprint shows. */
export function printOfFingerprint(fingerprint: string): number {
  return Number.parseInt(fingerprint, 16);
}
