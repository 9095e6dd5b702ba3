import type { BootId, ClusterMessage } from "@tickwheel/core";

/** What a NOTIFY may hold is 8,000 bytes, less its terminator and some room. */
const MAX_PAYLOAD_BYTES = 7_900;
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
 * Packs what is sent together into as few notifications as hold it, in its order: nodes send to several owners at a time, and each
 * NOTIFY is a commit that waits for all others. An envelope that is too long for one becomes the word "load".
 */
export function payloadsOf(envelopes: readonly Envelope[]): Payload[] {
  const payloads: Payload[] = [];
  let [texts, bytes] = [[] as string[], LIST_BYTES];
  const close = (): void => {
    if (texts.length > 0) payloads.push({ text: `[${texts.join()}]`, count: texts.length });
    [texts, bytes] = [[], LIST_BYTES];
  };
  for (const envelope of envelopes) {
    const text = textOf(envelope);
    const more = Buffer.byteLength(text) + 1;
    if (bytes + more > MAX_PAYLOAD_BYTES) close();
    texts.push(text);
    bytes += more;
  }
  close();
  return payloads;
}

/** The envelopes of a payload; none: it is somebody else's notification. Must not throw, since it is called by the driver. */
export function envelopesOf(payload = ""): Envelope[] {
  try {
    const list: unknown = JSON.parse(payload);
    return Array.isArray(list) ? list.filter(isEnvelope) : [];
  } catch {
    return [];
  }
}

function textOf(envelope: Envelope): string {
  const whole = JSON.stringify(envelope);
  const isTooLong = Buffer.byteLength(whole) + 1 + LIST_BYTES > MAX_PAYLOAD_BYTES;
  return isTooLong ? JSON.stringify({ to: envelope.to, message: { kind: "load" } } satisfies Envelope) : whole;
}

function isEnvelope(value: unknown): value is Envelope {
  const { to, message } = (value ?? {}) as Partial<Envelope>;
  return to !== undefined && message !== undefined;
}
