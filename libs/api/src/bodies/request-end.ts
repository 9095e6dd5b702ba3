import type { Socket } from "node:net";
import { LinkedList } from "../limits/linked-list.js";

const OPEN = Symbol("tickwheel.open");
const OVER = Symbol("tickwheel.over");

/** A connection, with what is to be called for each of its requests that is not over. */
export type RequestSocket = Pick<Socket, "once"> &
  Partial<Pick<Socket, "destroyed">> & { [OPEN]?: LinkedList<() => void> };

/** A response, which tells when it is over. */
export interface ClosingResponse {
  /** What is to be called when it is over. */
  [OVER]?: (() => void)[];
  readonly destroyed?: boolean;
  /** The stream of a request by HTTP/2. */
  readonly stream?: { readonly destroyed: boolean };
  once(event: "close", listener: () => void): unknown;
}

/**
 * Calls back once when a request is over: answered and taken, given up, or its connection gone. The last is looked at
 * on the connection itself: a response that waits behind another one on it is never told. One that is over already,
 * since its client did not wait for the look at its key, is called back for at once: nothing would tell later. A
 * response has one listener, however many ask.
 */
export function whenOver(socket: RequestSocket, response: ClosingResponse, callback: () => void): void {
  if (socket.destroyed || response.destroyed || response.stream?.destroyed) return callback();
  if (response[OVER]) return void response[OVER].push(callback);
  const callbacks = (response[OVER] = [callback]);
  const callBack = (): void => {
    for (const each of callbacks) each();
  };
  const open = (socket[OPEN] ??= openOn(socket));
  const entry = open.add(callBack);
  response.once("close", () => {
    if (open.remove(entry)) callBack();
  });
}

function openOn(socket: RequestSocket): LinkedList<() => void> {
  const open = new LinkedList<() => void>();
  socket.once("close", () => {
    for (const callback of open.takeWhile(() => true)) callback();
  });
  return open;
}
