/** `Payload`; where the key lacks the right to read it, what is shown instead. */
export function payloadTitle({ payloadMasked }: { payloadMasked?: boolean | undefined }, what = "Payload"): string {
  return payloadMasked ? `${what}: its shape, since you lack the right payload` : what;
}
