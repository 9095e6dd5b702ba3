import { Inject, Injectable } from "@nestjs/common";
import {
  type DeadGroupDetailFields,
  type DeadGroupFields,
  DeadLetterCalls,
  isoInstant,
  noDeadLetters,
  toDeadGroupDetailsView,
  toDeadGroups,
} from "@tickwheel/calls";
import type { DEAD_OPERATIONS } from "@tickwheel/contract/operations";
import type { DelayTaskNode } from "@tickwheel/nestjs";
import type { Call, Calls } from "../calls/call.js";
import { callerOf } from "../keys/api-key.js";
import { API_NODE } from "../keys/api-node.js";

type Rows = (typeof DEAD_OPERATIONS)["rows"];

/** A page of the causes of dead tasks, those with the most tasks first. */
export interface DeadGroupPageView {
  items: DeadGroupFields<string>[];
  nextCursor: string | null;
  causes: number;
  tasks: number;
}

/** The calls about dead tasks by cause, as REST and GraphQL share them, within the key's namespace. */
@Injectable()
export class DeadLetterApiService implements Calls<Rows> {
  private readonly calls: DeadLetterCalls;

  constructor(@Inject(API_NODE) node: DelayTaskNode) {
    this.calls = new DeadLetterCalls(node);
  }

  async deadLetters({ apiKey, query }: Call<Rows["deadLetters"]>): Promise<DeadGroupPageView> {
    const { reason: reasons, cursor: after, ...asked } = query;
    const page = await this.calls.list(callerOf(apiKey), { ...asked, reasons, after });
    const { groups: items, next: nextCursor, causes, tasks } = toDeadGroups(page, isoInstant);
    return { items, nextCursor, causes, tasks };
  }

  async deadLetter({
    apiKey,
    at: type,
    within,
  }: Call): Promise<DeadGroupFields<string> & DeadGroupDetailFields<string>> {
    const found = await this.calls.get(callerOf(apiKey), type, within);
    if (!found) throw noDeadLetters(type, within);
    return toDeadGroupDetailsView(found, isoInstant);
  }

  async seeDeadGroup({
    apiKey,
    at: type,
    within,
  }: Call): Promise<DeadGroupFields<string> & DeadGroupDetailFields<string>> {
    return toDeadGroupDetailsView(await this.calls.see(callerOf(apiKey), type, within), isoInstant);
  }
}
