import { Inject, Injectable } from "@nestjs/common";
import type { SETTING_OPERATIONS } from "@tickwheel/contract/operations";
import {
  isoInstant,
  type NamespaceOutcome,
  type NamespaceStanding,
  type NamespaceStandingFields,
  type PauseFields,
  type PauseOutcome,
  SettingCalls,
  toNamespaceView,
  toPauseView,
  type TypeOutcome,
} from "@tickwheel/calls";
import { type ApiKey, revisionText } from "@tickwheel/core";
import type { DelayTaskNode } from "@tickwheel/nestjs";
import type { Call, Calls } from "../calls/call.js";
import { callerOf } from "../keys/api-key.js";
import { API_NODE } from "../keys/api-node.js";
import { announcedOf, toTypeDetails, type TypeDetailsView } from "./type-details-view.js";

type Rows = (typeof SETTING_OPERATIONS)["rows"];

/** Labels of the nodes that do not obey a change yet; empty: every node does. Null: that is not known. */
interface Made {
  waitingFor: readonly string[] | null;
  /** The revision of the settings, such as `1.42`. */
  revision: string;
}

/** What became of a change of a type. */
export interface TypeChangeView extends Made {
  type: TypeDetailsView;
}

/** A namespace: its name, and what people have set. */
export interface NamespaceDetailsView extends NamespaceStandingFields<string> {
  namespace: string;
}

/** What became of a change of the namespace's limits. */
export interface NamespaceChangeView extends Made {
  namespace: NamespaceDetailsView;
}

/** What became of a pause of a key or the namespace. */
export interface PauseChangeView extends Made {
  /** Null: it is not paused. */
  pause: PauseFields<string> | null;
}

export interface PausePageView {
  items: PauseFields<string>[];
  nextCursor: string | null;
}

/** The calls about settings, as REST and GraphQL share them, within the key's namespace. */
@Injectable()
export class SettingApiService implements Calls<Rows> {
  private readonly calls: SettingCalls;

  constructor(@Inject(API_NODE) private readonly node: DelayTaskNode) {
    this.calls = new SettingCalls(node);
  }

  async pauseType({ apiKey, at, body }: Call): Promise<TypeChangeView> {
    return this.typeChange(apiKey, at, await this.calls.pauseType(callerOf(apiKey), at, body));
  }

  async resumeType({ apiKey, at }: Call): Promise<TypeChangeView> {
    return this.typeChange(apiKey, at, await this.calls.resumeType(callerOf(apiKey), at));
  }

  async updateType({ apiKey, at, body }: Call): Promise<TypeChangeView> {
    return this.typeChange(apiKey, at, await this.calls.updateType(callerOf(apiKey), at, body));
  }

  async closeBreaker({ apiKey, at }: Call): Promise<TypeDetailsView> {
    const standing = await this.calls.closeBreaker(callerOf(apiKey), at);
    return toTypeDetails(at, standing, announcedOf(this.node, { namespace: apiKey.namespace, type: at }));
  }

  async pauseKey({ apiKey, body }: Call): Promise<PauseChangeView> {
    return pauseChange(await this.calls.pauseKey(callerOf(apiKey), body));
  }

  async resumeKey({ apiKey, body }: Call): Promise<PauseChangeView> {
    return pauseChange(await this.calls.resumeKey(callerOf(apiKey), body));
  }

  async pauseNamespace({ apiKey, body }: Call): Promise<PauseChangeView> {
    return pauseChange(await this.calls.pauseNamespace(callerOf(apiKey), body));
  }

  async resumeNamespace({ apiKey }: Call): Promise<PauseChangeView> {
    return pauseChange(await this.calls.resumeNamespace(callerOf(apiKey)));
  }

  async updateNamespace({ apiKey, body }: Call): Promise<NamespaceChangeView> {
    const outcome: NamespaceOutcome = await this.calls.updateNamespace(callerOf(apiKey), body);
    return { ...made(outcome), namespace: toNamespaceDetails(apiKey, outcome.standing) };
  }

  async namespace({ apiKey }: Call): Promise<NamespaceDetailsView> {
    return toNamespaceDetails(apiKey, this.calls.namespaceStanding(callerOf(apiKey)));
  }

  async pauses({ apiKey, query }: Call<Rows["pauses"]>): Promise<PausePageView> {
    const { limit, cursor: after } = query;
    const { pauses, next } = await this.calls.pauses(callerOf(apiKey), { limit, after });
    const items = pauses.map((pause) => toPauseView(pause, pause.type, isoInstant));
    return { items, nextCursor: next === null ? null : String(next) };
  }

  private typeChange({ namespace }: ApiKey, type: string, outcome: TypeOutcome): TypeChangeView {
    const shown = toTypeDetails(type, outcome.standing, announcedOf(this.node, { namespace, type }));
    return { ...made(outcome), type: shown };
  }
}

function toNamespaceDetails({ namespace }: ApiKey, standing: NamespaceStanding): NamespaceDetailsView {
  return { namespace, ...toNamespaceView(standing, isoInstant) };
}

function pauseChange({ standing, ...outcome }: PauseOutcome): PauseChangeView {
  return { ...made(outcome), pause: standing && toPauseView(standing, standing.type, isoInstant) };
}

function made({ waitingFor, revision }: Omit<PauseOutcome, "standing">): Made {
  return { waitingFor, revision: revisionText(revision) };
}
