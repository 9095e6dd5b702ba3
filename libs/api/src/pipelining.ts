import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** Requests that may wait on one connection, for their answers or for being read: hardly a client of today sends a second one before that. */
const MOST_UNANSWERED = 4;
const UNANSWERED = Symbol("tickwheel.unanswered");

type Connection = Socket & { [UNANSWERED]?: number };

/**
 * Whether so many requests of its connection are not answered that this one should not be. To be asked once for each request, at once: what one
 * packet brings is given to the application in one go, hundreds of requests, each of which may ask for a page of tasks.
 */
export function isOneTooMany({ socket }: IncomingMessage, response: ServerResponse): boolean {
  const connection: Connection = socket;
  const unanswered = (connection[UNANSWERED] ?? 0) + 1;
  connection[UNANSWERED] = unanswered;
  if (unanswered > MOST_UNANSWERED) return true;
  response.once("close", () => connection[UNANSWERED]!--);
  return false;
}
