import { type BootId, type ClusterMessage, decodeText } from "@tickwheel/core";

/** A NOTIFY may hold 8,000 bytes; the terminator and some room are subtracted. */
const MAX_NOTIFY_BYTES = 7_900;
/** The brackets of the list. */
const LIST_BYTES = 2;

/** A message and whom it is for. */
export interface Envelope {
  to: BootId | "all";
  message: ClusterMessage;
}

/** One NOTIFY: its text, and how many of the envelopes it carries. */
export interface Payload {
  text: string;
  count: number;
}

/**
 * Packs envelopes that are sent together into as few notifications as hold them, in their order. A node often sends to
 * several owners at once, and each NOTIFY is a commit that waits for all others. An envelope that is too long for one
 * notification becomes the word "load".
 */
export function payloadsOf(envelopes: readonly Envelope[]): Payload[] {
  const payloads: Payload[] = [];
  let texts = [] as string[];
  let bytes = LIST_BYTES;
  const close = (): void => {
    if (texts.length > 0) payloads.push({ text: `[${texts.join()}]`, count: texts.length });
    [texts, bytes] = [[], LIST_BYTES];
  };
  for (const envelope of envelopes) {
    const text = textOf(envelope);
    const more = Buffer.byteLength(text) + 1;
    if (bytes + more > MAX_NOTIFY_BYTES) close();
    texts.push(text);
    bytes += more;
  }
  close();
  return payloads;
}

/** A message that came in a notification, and whom it is for. */
export interface Arrival {
  to: string;
  /** Unchecked. Undefined: it could not be read. */
  message: unknown;
}

/**
 * Reads a notification [hints-only]: anybody who may connect may notify. Anything but an envelope becomes an unreadable
 * message for all. Never throws.
 */
export function arrivalsIn(payload = ""): Arrival[] {
  const list = decodeText(payload);
  return Array.isArray(list) ? list.map(arrivalOf) : [UNREADABLE];
}

const UNREADABLE: Arrival = { to: "all", message: undefined };

function textOf(envelope: Envelope): string {
  const whole = JSON.stringify(envelope);
  const isTooLong = Buffer.byteLength(whole) + 1 + LIST_BYTES > MAX_NOTIFY_BYTES;
  return isTooLong ? JSON.stringify({ to: envelope.to, message: { kind: "load" } } satisfies Envelope) : whole;
}

function arrivalOf(value: unknown): Arrival {
  const { to, message } = (value ?? {}) as Partial<Arrival>;
  return typeof to === "string" ? { to, message } : UNREADABLE;
}
