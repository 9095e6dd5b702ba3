import type { ClientRequest } from "node:http";
import type { Socket } from "node:net";

/** The most informational answers, such as `103 Early Hints`, before the one that counts. */
export const MAX_INFORMATIONAL = 8;
/** The most bytes of an answer as they come over the wire: headers, chunks with all that surrounds them, trailers. */
export const MAX_ANSWER_BYTES = 1_048_576;
/** The most pieces that an answer may come in: each costs a turn of the loop, however short it is. */
export const MAX_ANSWER_PIECES = 4_096;

/**
 * Holds a host to an answer of bounded work, until the request closes. Node bounds the headers of one answer and the
 * extensions of one chunk, and neither how many there are of them. A host that goes beyond a bound loses its
 * connection; `fault` then says which bound it was.
 */
export class AnswerBounds {
  /** The bound that was not kept, Node's own among them; null while all are. */
  fault: Error | null = null;
  private informational = 0;
  private bytes = 0;
  private pieces = 0;

  constructor(private readonly request: ClientRequest) {
    request.on("information", () => {
      if (++this.informational > MAX_INFORMATIONAL)
        this.end(`The host sent more than ${MAX_INFORMATIONAL} informational answers, and none that counts`);
    });
    request.on("socket", (socket) => this.watch(socket));
    // Where one of Node's own bounds is passed, only the request has the error that says what is wrong: the reader of
    // the answer only sees that it has ended.
    request.on("error", (error) => (this.fault ??= error));
  }

  private watch(socket: Socket): void {
    const take = ({ length }: Buffer): void => {
      this.bytes += length;
      if (this.bytes > MAX_ANSWER_BYTES) this.end(`The host's answer comes to more than ${MAX_ANSWER_BYTES} bytes`);
      if (++this.pieces > MAX_ANSWER_PIECES)
        this.end(`The host's answer came in more than ${MAX_ANSWER_PIECES} pieces`);
    };
    socket.on("data", take);
    this.request.once("close", () => socket.off("data", take));
  }

  private end(fault: string): void {
    if (this.fault) return;
    this.fault = new Error(fault);
    this.request.destroy(this.fault);
  }
}
