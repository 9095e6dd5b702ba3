import {
  type Clock,
  giveTurn,
  newTaskId,
  type NewTask,
  type Random,
  type TaskType,
  TickwheelError,
} from "@tickwheel/core";
import type { Ownership } from "@tickwheel/coordination";
import type { DbClock } from "../runtime/db-clock.js";
import type { TypeDirectory } from "../types/type-directory.js";
import { deliveryConflict, orRefusal } from "./rejections.js";
import type { TaskRequest, TypeDefaults } from "./requests.js";
import { SlotChoice } from "./slot-choice.js";
import { delayOf, deliveryOf, draftTask, fitsDelivery, tooFar, unfitForMerge } from "./task-draft.js";

/** What drafts are made of. */
export interface TaskDraftParts {
  clock: Clock;
  random: Random;
  dbClock: Pick<DbClock, "ensureSet" | "nowMs">;
  types: Pick<TypeDirectory, "find" | "ensure">;
  /** For a webhook without a time-out, if it is shorter than the default. */
  maxWebhookTimeoutMs: number;
  /** What this node's handler wants; for a type whose policy nobody has announced yet. */
  defaultsOf(namespace: string, type: string): TypeDefaults;
  ownership(): Ownership;
}

/** Makes the rows that requests ask for, before anything is written: with their ids, slots, types and defaults. */
export class TaskDrafts {
  private readonly slots: SlotChoice;

  constructor(private readonly parts: TaskDraftParts) {
    this.slots = new SlotChoice(parts.random);
  }

  /**
   * The tasks of these requests; one that can be no task gives the error: it is due too far from now, it is a merge
   * that no payload can take, its type is run otherwise or is one too many. Waits only for types that are new here.
   */
  async draftAll(requests: readonly TaskRequest[]): Promise<(NewTask | TickwheelError)[]> {
    const { dbClock, types } = this.parts;
    await dbClock.ensureSet();
    const drafts: (NewTask | TickwheelError)[] = [];
    let weight = 0;
    for (const request of requests) {
      weight += weightOf(request);
      if (weight >= DRAFTS_OF_A_TURN) {
        await giveTurn(this.parts.clock);
        weight = 0;
      }
      const refusal = tooFar(request, dbClock.nowMs()) ?? unfitForMerge(request);
      if (refusal) {
        drafts.push(refusal);
        continue;
      }
      const delivery = deliveryOf(request);
      const { namespace, type } = request;
      const known = types.find({ namespace, type }) ?? (await orRefusal(types.ensure({ namespace, type, delivery })));
      if (known instanceof TickwheelError) drafts.push(known);
      else if (fitsDelivery(known, delivery)) drafts.push(this.draft(request, known));
      else drafts.push(deliveryConflict(request, known.delivery));
    }
    return drafts;
  }

  /**
   * The same for requests that are made together or not at all. @throws TickwheelError the first one's that can be none
   */
  async draftEach(requests: readonly TaskRequest[]): Promise<NewTask[]> {
    return (await this.draftAll(requests)).map((draft) => {
      if (draft instanceof TickwheelError) throw draft;
      return draft;
    });
  }

  private draft(request: TaskRequest, { id: typeId, policy }: TaskType): NewTask {
    const { namespace, type } = request;
    const { maxWebhookTimeoutMs } = this.parts;
    const now = this.parts.dbClock.nowMs();
    const wish = { namespace, type, typeId, key: request.key ?? null, delayMs: delayOf(request, now) };
    const slot = this.slots.choose(wish, this.parts.ownership());
    const id = newTaskId(now, slot, this.parts.random);
    return draftTask(request, policy ?? this.parts.defaultsOf(namespace, type), {
      id,
      typeId,
      maxWebhookTimeoutMs,
    });
  }
}

/** Those that can be written. */
export function tasksAmong(drafts: readonly (NewTask | TickwheelError)[]): NewTask[] {
  return drafts.filter((draft): draft is NewTask => !(draft instanceof TickwheelError));
}

/** The loop gets a turn after this many drafts of a bulk. */
const DRAFTS_OF_A_TURN = 500;

/** How many characters of a payload that is looked through take as long as a draft. */
const CHARACTERS_OF_A_DRAFT = 512;

/** How many drafts a request counts for: the payloads of merges are looked through. */
function weightOf({ onConflict, payload }: TaskRequest): number {
  return onConflict === "merge" ? 1 + payload.length / CHARACTERS_OF_A_DRAFT : 1;
}
