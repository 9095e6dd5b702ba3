import type { Clock } from "@tickwheel/core";
import { type Deadline, Deadlines } from "../limits/deadlines.js";

/** A connection is looked at so often within the time in which something of an answer is to be taken. */
const LOOKS = 4;

/** What of a connection tells whether an answer moves on. */
export interface AnswerSocket {
  readonly destroyed: boolean;
  readonly bytesWritten: number;
  readonly writableLength: number;
  /** Node's own handle. It alone tells how much is left of what was given to the system at once. */
  readonly _handle?: { readonly writeQueueSize?: number } | null;
  once(event: "close", listener: () => void): unknown;
  destroy(): unknown;
  [WATCH]?: Watch;
}

/** Whether all of an answer was taken. */
export interface AnswerEnd {
  readonly writableFinished: boolean;
}

const WATCH = Symbol("tickwheel.watch");

interface Watch {
  /** The last of ours on this connection: those before it are taken before it is. */
  response: AnswerEnd;
  taken: string;
  /** How many looks saw nothing taken since the one before. */
  stalledLooks: number;
  deadline: Deadline;
}

/**
 * Ends the connections of clients who ask and do not read: of whom nothing was taken for so long, although something
 * waits to be. A client that reads, however slowly, is left alone; so is one that waits for an answer that was not
 * begun. A connection is watched from its first request of ours on, and costs next to nothing for each further one.
 */
export class StalledAnswers {
  private readonly deadlines: Deadlines;

  /** @param stalledMs the stall is seen within a quarter more */
  constructor(clock: Pick<Clock, "monotonicMs" | "setTimer">, stalledMs: number) {
    this.deadlines = new Deadlines(clock, stalledMs / LOOKS);
  }

  watch(socket: AnswerSocket, response: AnswerEnd): void {
    const watched = socket[WATCH];
    if (watched) return void (watched.response = response);
    if (socket.destroyed) return;
    const watch: Watch = { response, taken: "", stalledLooks: 0, deadline: this.lookLater(socket) };
    socket[WATCH] = watch;
    socket.once("close", () => this.deadlines.end(watch.deadline));
  }

  private lookLater(socket: AnswerSocket): Deadline {
    return this.deadlines.start(() => this.look(socket, socket[WATCH]!));
  }

  private look(socket: AnswerSocket, watch: Watch): void {
    const taken = takenOf(socket);
    const isStalled = socket.writableLength > 0 && !watch.response.writableFinished && taken === watch.taken;
    watch.stalledLooks = isStalled ? watch.stalledLooks + 1 : 0;
    watch.taken = taken;
    if (watch.stalledLooks >= LOOKS) return void socket.destroy();
    watch.deadline = this.lookLater(socket);
  }
}

/** Differs whenever something was taken: whole writes, and of the one under way what is left. */
function takenOf({ bytesWritten, writableLength, _handle }: AnswerSocket): string {
  return `${bytesWritten - writableLength} ${_handle?.writeQueueSize ?? 0}`;
}
