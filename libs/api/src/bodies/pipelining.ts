import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/**
 * Requests of one connection that may wait for their answers: hardly a client sends a second one before the first was
 * answered.
 */
export const MOST_UNANSWERED = 4;
const UNANSWERED = Symbol("tickwheel.unanswered");

type Connection = Pick<Socket, "destroyed" | "destroy"> & { [UNANSWERED]?: number };
type PipelinedRequest = Pick<IncomingMessage, "httpVersionMajor"> & { readonly socket: Connection };

/**
 * Ends the connection of a client that sends requests without waiting for answers. To be asked once for each request,
 * before it costs anything: what one packet brings is handed over in one turn of the loop, hundreds of requests, each
 * of which may ask for a page of tasks. HTTP/2 bounds its streams itself.
 *
 * @returns whether the request may go on; the ended connection's others may not, either
 */
export function isInTurn(request: PipelinedRequest, response: Pick<ServerResponse, "once">): boolean {
  if (request.httpVersionMajor > 1) return true;
  const { socket } = request;
  if (socket.destroyed) return false;
  const unanswered = (socket[UNANSWERED] ?? 0) + 1;
  if (unanswered > MOST_UNANSWERED) {
    socket.destroy();
    return false;
  }
  socket[UNANSWERED] = unanswered;
  response.once("close", () => socket[UNANSWERED]!--);
  return true;
}
