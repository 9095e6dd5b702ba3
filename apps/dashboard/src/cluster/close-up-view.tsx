import { useMemo } from "preact/hooks";
import type { ClusterEvent } from "../api/wire.js";
import { actorName } from "../keys/actor-name.js";
import { formatDuration, formatInstant } from "../time/format.js";
import { clockText, zone } from "../time/zone.js";
import { Icon } from "../ui/icon.js";
import { closeUpOf, type CloseLane, type CloseUp, type Moment } from "./close-up.js";
import { eventWords } from "./event-words.js";
import type { NameOf } from "../nodes/node-names.js";

interface CloseUpViewProps {
  /** Newest first. */
  events: readonly ClusterEvent[];
  focus: ClusterEvent;
  nameOf: NameOf;
}

/** One event to scale: beats and misses, suspect, dead, loading. */
export function CloseUpView({ events, focus, nameOf }: CloseUpViewProps) {
  const closeUp = useMemo(() => closeUpOf(events, focus), [events, focus.id]);
  const { lanes, takenOverMs } = closeUp;
  const { text } = eventWords(focus, { nameOf, actorName });
  return (
    <section class="closeup" aria-label="Close-up">
      <div class="closeup-head">
        <h3>
          Close-up: {text}, {clockText(Date.parse(focus.at))}
        </h3>
        <span class="small muted">
          {takenOverMs !== null &&
            `From the last beat until the last of its slots was loaded: ${formatDuration(takenOverMs)}. `}
          Choose another event in the list to see it so.
        </span>
      </div>
      <div class="lanes" role="img" aria-label={labelOf(closeUp, nameOf)}>
        {lanes.map((lane) => (
          <LaneRow key={lane.node.bootId} lane={lane} closeUp={closeUp} nameOf={nameOf} />
        ))}
        <div />
        <Axis closeUp={closeUp} />
      </div>
      {lanes.some(({ beats }) => beats.length > 0) && (
        <p class="small muted">
          Beats are drawn at their mean interval: how many were missed is known, not when each came.
        </p>
      )}
    </section>
  );
}

const hues = { silent: "is-overdue hatch", suspect: "is-overdue", loads: "is-running solid", drains: "is-draining" };

function LaneRow({ lane, closeUp, nameOf }: { lane: CloseLane; closeUp: CloseUp; nameOf: NameOf }) {
  const x = (at: number): string => percent((at - closeUp.from) / (closeUp.until - closeUp.from));
  const width = (ms: number): string => percent(ms / (closeUp.until - closeUp.from));
  return (
    <>
      <div class="who">
        {nameOf(lane.node)}
        {lane.note && (
          <>
            <br />
            <span class="mono">{lane.note}</span>
          </>
        )}
      </div>
      <div class="lane">
        {lane.beats.map(({ at, isMissed }) => (
          <i key={at} class={isMissed ? "beat miss" : "beat"} style={{ "--x": x(at) }} />
        ))}
        {lane.segments.map(({ from, until, kind, text }) => (
          <span
            key={`${kind} ${from}`}
            class={`seg-b ${hues[kind]}`}
            style={{ "--x": x(from), "--w": width(until - from) }}
          >
            {text}
          </span>
        ))}
        {lane.flags.map(({ at, state, icon, text }) => (
          <span key={`${text} ${at}`} class={`flag is-${state}`} style={{ "--x": x(at) }} title={text}>
            <Icon name={icon} />
          </span>
        ))}
      </div>
    </>
  );
}

/** Labels nearer than this share of the width would lie on each other: the first of them stays. */
const labelShare = 0.12;

function Axis({ closeUp: { from, until, moments } }: { closeUp: CloseUp }) {
  const placed = moments.reduce<(Moment & { share: number })[]>((shown, moment) => {
    const share = (moment.at - from) / (until - from);
    const last = shown.at(-1)?.share ?? 0;
    return share - last >= labelShare && share <= 1 - labelShare ? [...shown, { ...moment, share }] : shown;
  }, []);
  return (
    <div class="lane-axis">
      <span style={{ "--x": "0%" }}>{timeText(from)}</span>
      {placed.map(({ at, text, share }) => (
        <span key={`${text} ${at}`} style={{ "--x": percent(share) }}>
          {text} {secondText(at)}
        </span>
      ))}
      <span style={{ "--x": "100%" }}>{timeText(until)}</span>
    </div>
  );
}

const timeText = (at: number): string => formatInstant(at, zone.value).slice(11, 19);
/** `:08.1`. */
const secondText = (at: number): string => `:${formatInstant(at, zone.value).slice(17, 21)}`;

function labelOf({ lanes, moments }: CloseUp, nameOf: NameOf): string {
  const when = moments.map(({ at, text }) => `${text} at ${formatInstant(at, zone.value).slice(11, 21)}`);
  return `${lanes.map(({ node }) => nameOf(node)).join(", ")}: ${when.join(", ")}`;
}

const percent = (share: number): string => `${Math.round(Math.min(1, Math.max(0, share)) * 10_000) / 100}%`;
