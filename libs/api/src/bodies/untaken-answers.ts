import type { Clock } from "@tickwheel/core";
import { type Deadline, Deadlines } from "../limits/deadlines.js";
import { type ClosingResponse, type RequestSocket, whenOver } from "./request-end.js";

/**
 * Ends the connections of clients who ask and do not read. It is looked once in so long whether an answer has been begun; one that was begun
 * before and is still not taken ends its connection, so a client has that time at least, and twice that time at most.
 */
export class UntakenAnswers {
  private readonly deadlines: Deadlines;

  constructor(clock: Pick<Clock, "monotonicMs" | "setTimer">, withinMs: number) {
    this.deadlines = new Deadlines(clock, withinMs);
  }

  /** @param onOver is called once, when the request is over */
  watch(socket: RequestSocket, response: ClosingResponse & { headersSent: boolean }, onOver: () => void): void {
    let wasBegun = false;
    let deadline: Deadline;
    const look = (): void => {
      if (wasBegun) return void socket.destroy();
      wasBegun = response.headersSent;
      deadline = this.deadlines.start(look);
    };
    deadline = this.deadlines.start(look);
    whenOver(socket, response, () => {
      this.deadlines.end(deadline);
      onOver();
    });
  }
}
