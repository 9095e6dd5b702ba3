import type { ServerResponse } from "node:http";
import type { EventSink } from "./viewer.js";

/** The headers of an answer that goes on: no cache or proxy keeps it back, and nothing on its way compresses it. */
const HEADERS = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-cache, no-transform",
  "x-accel-buffering": "no",
};

/** What Fastify has for a response, where it is its. */
interface FastifyReply {
  raw: ServerResponse;
  hijack(): unknown;
  getHeaders(): Record<string, number | string | string[] | undefined>;
}

export type EventResponse = ServerResponse | FastifyReply;

/** Begins an answer of events; what the application has set on it before is kept. */
export function beginEvents(response: EventResponse): ServerResponse {
  const raw = "raw" in response ? response.raw : response;
  if ("raw" in response) {
    response.hijack();
    for (const [name, value] of Object.entries(response.getHeaders()))
      if (value !== undefined) raw.setHeader(name, value);
  }
  for (const [name, value] of Object.entries(HEADERS)) raw.setHeader(name, value);
  raw.statusCode = 200;
  raw.flushHeaders();
  return raw;
}

/** The events of a begun answer, over HTTP/1.1 or HTTP/2. */
export class ResponseSink implements EventSink {
  constructor(private readonly response: ServerResponse) {}

  get unreadBytes(): number {
    return this.response.writableLength;
  }

  write(event: Buffer): void {
    this.response.write(event);
  }

  end(event: Buffer): void {
    this.response.end(event);
  }

  cut(): void {
    this.response.destroy();
  }
}
