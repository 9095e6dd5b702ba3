import {
  asDate,
  type Caller,
  type DeadGroupDetailsView,
  type DeadGroupView,
  DeadLetterCalls,
  deadLetterFilterInput,
  type DeadLetterFilterInput,
  readCall,
  requireInput,
  toDeadGroupDetailsView,
  toDeadGroups,
} from "@tickwheel/calls";
import type { DelayTaskNode } from "../node/delay-task.node.js";
import { applicationOf } from "./code-face.js";

/** A page of the causes of dead tasks. */
export interface DeadGroupsPage {
  groups: DeadGroupView[];
  /** Null: there are no more. */
  next: string | null;
  /** Groups that fit, on whatever page. */
  causes: number;
  /** Their tasks. */
  tasks: number;
}

/**
 * Dead tasks by cause: those of a type whose errors say the same but for numbers, ids and times, and come from the same
 * function. Counts are a second or two old. In memory there are none (`UNSUPPORTED`).
 *
 * @example
 * const { groups } = await delayTasks.deadLetters.list({ type: "webhook.deliver" });
 * const { type, fingerprint } = groups[0]!;
 * if (fingerprint !== null)
 *   await delayTasks.operations.start({ action: "retry", filter: { type, states: ["dead"], fingerprint } });
 */
export class DelayDeadLetters {
  private readonly calls: DeadLetterCalls;
  private readonly caller: Caller;

  constructor(node: DelayTaskNode) {
    this.calls = new DeadLetterCalls(node);
    this.caller = applicationOf(node);
  }

  /**
   * A page of the causes, those with the most tasks first.
   *
   * @throws TickwheelError `VALIDATION_FAILED` with every fault, `STORE_UNAVAILABLE`
   */
  async list(filter: DeadLetterFilterInput = {}): Promise<DeadGroupsPage> {
    const asked = requireInput(
      deadLetterFilterInput,
      readCall(() => ({ ...filter })),
    );
    return toDeadGroups(await this.calls.list(this.caller, asked), asDate);
  }

  /** A cause, or null: no task of the type is dead for it. @throws TickwheelError `STORE_UNAVAILABLE` */
  async get(type: string, fingerprint: string): Promise<DeadGroupDetailsView | null> {
    const found = await this.calls.get(this.caller, type, fingerprint);
    return found && toDeadGroupDetailsView(found, asDate);
  }

  /**
   * Says that somebody has looked at a cause. The finding `DEAD_TASKS` ends, until a further task dies of it.
   *
   * @example await delayTasks.deadLetters.see("webhook.deliver", "3f9c0a7be142");
   * @returns the cause
   * @throws TickwheelError `DEAD_LETTERS_NOT_FOUND`, `STORE_UNAVAILABLE`
   */
  async see(type: string, fingerprint: string): Promise<DeadGroupDetailsView> {
    return toDeadGroupDetailsView(await this.calls.see(this.caller, type, fingerprint), asDate);
  }
}
