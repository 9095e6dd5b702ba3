import { PAGE_BYTES, TickwheelError } from "@tickwheel/core";

/** The longest answer to a request of GraphQL, in characters, whatever its aliases repeat. */
export const MAX_ANSWER_LENGTH = 2 * PAGE_BYTES;

/**
 * How much the tasks of one answer may still hold, in bytes: 2 MiB at first. Every part of the answer spends of it, all
 * fields of a GraphQL request together; the part that reaches the end is still whole.
 */
export class AnswerBudget {
  private last: Promise<unknown> = Promise.resolve();

  constructor(private bytes = PAGE_BYTES) {}

  get left(): number {
    return this.bytes;
  }

  spend(bytes: number): void {
    this.bytes -= bytes;
  }

  /** @throws TickwheelError `VALIDATION_FAILED` where nothing is left: to be asked before anything is done */
  requireLeft(): void {
    if (this.bytes <= 0) throw answerTooLong("Nothing was done for this field: ask for it in another request");
  }

  /** Makes a part when those before it are made, so that what they left is known. */
  inTurn<Part>(make: () => Promise<Part>): Promise<Part> {
    const part = this.last.then(make);
    this.last = part.catch(() => undefined);
    return part;
  }
}

/** @param cure what the client can do */
export function answerTooLong(cure: string): TickwheelError {
  return new TickwheelError("VALIDATION_FAILED", `The answer is too long. ${cure}.`);
}
