import { type PauseSubject, type SettingChange, TickwheelError, type TypeId } from "@tickwheel/core";
import type { Action } from "./plan.js";
import { NAMESPACE, type SimulatedProcess } from "./simulated-process.js";
import type { World } from "./world.js";

const ACTOR = "caller";
/**
 * A type that is paused makes its tasks late until so long after the pause. One that is limited may be late to the end.
 */
const RECOVERY_MS = 3_000;

type SettingAction = Extract<
  Action,
  {
    kind:
      | "pause-type"
      | "resume-type"
      | "hold-key"
      | "release-key"
      | "set-concurrency"
      | "set-limit"
      | "keep-successes";
  }
>;

type KnownSubject = PauseSubject & { typeId: TypeId };

/** Callers of a run that pause types and keys, resume them, and set how many tasks of a type run at once and start. */
export class SettingCaller {
  private static asks = 0;

  constructor(private readonly world: World) {}

  /** Returns a function that records in the history what the caller was told. */
  async ask({ node }: SimulatedProcess, action: SettingAction): Promise<() => void> {
    const { recorder } = this.world;
    const typeId = this.typeNamed("type" in action ? action.type : "plain");
    const subject = { typeId, key: "key" in action ? action.key : null };
    const now = Math.floor(node.service.nowMs());
    const ask = ++SettingCaller.asks;
    if (action.kind === "set-limit") recorder.record({ kind: "limit-asked", typeId, ask });
    else if (action.kind !== "set-concurrency" && action.kind !== "keep-successes")
      recorder.record({ kind: "pause-asked", ...subject, ask });
    if ("forMs" in action) this.expectLateness(action.forMs);
    if (action.kind === "set-limit") recorder.overloadBegan();
    const change = changeOf(action, { subject: { namespace: NAMESPACE, ...subject }, now });
    const { waitingFor } = await node.settings!.change(change);
    if (action.kind === "set-limit") recorder.record({ kind: "limit-written", typeId, ask });
    if (change.kind === "pause" || change.kind === "resume")
      recorder.record({ kind: "pause-written", ...subject, ask });
    recorder.count(`${action.kind} ${waitingFor === null ? "unknown" : waitingFor.length === 0 ? "obeyed" : "waits"}`);
    return () => {
      if (waitingFor === null || waitingFor.length > 0) return;
      if (action.kind === "set-limit") {
        const { maxRunning, rate } = action;
        recorder.record({ kind: "limit-answered", typeId, ask, maxRunning, rate });
      } else if (change.kind === "pause") {
        recorder.record({ kind: "pause-answered", ...subject, ask, until: change.until! });
      }
    };
  }

  /** @throws TickwheelError `TYPE_NOT_FOUND`: no node has made it yet */
  private typeNamed(name: string): TypeId {
    const rows = [...this.world.database.tables.types.values()];
    const found = rows.find(({ committed }) => committed?.type === name)?.committed;
    if (!found) throw new TickwheelError("TYPE_NOT_FOUND", `There is no type ${name}.`);
    return found.id;
  }

  private expectLateness(forMs: number): void {
    const { recorder, time } = this.world;
    recorder.overloadBegan();
    time.setTimer(forMs + RECOVERY_MS, () => recorder.overloadEnded());
  }
}

function changeOf(action: SettingAction, { subject, now }: { subject: KnownSubject; now: number }): SettingChange {
  const { typeId } = subject;
  if (action.kind === "set-concurrency")
    return { kind: "type", actor: ACTOR, typeId, values: { concurrency: action.concurrency } };
  if (action.kind === "set-limit") {
    const { maxRunning, rate } = action;
    return { kind: "type", actor: ACTOR, typeId, values: { maxRunning, rate } };
  }
  if (action.kind === "keep-successes")
    return { kind: "type", actor: ACTOR, typeId, values: { keepSucceededMs: action.isKept ? null : 0 } };
  if (!("forMs" in action)) return { kind: "resume", actor: ACTOR, subject };
  return { kind: "pause", actor: ACTOR, subject, until: now + action.forMs, reason: null };
}
