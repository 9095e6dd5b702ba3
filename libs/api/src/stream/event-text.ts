/** A server-sent event whose data is JSON: one line, since JSON has no line breaks. Made once, written to many. */
export function eventOf(name: string, data: unknown): Buffer {
  return Buffer.from(`event: ${name}\ndata: ${JSON.stringify(data)}\n\n`);
}
