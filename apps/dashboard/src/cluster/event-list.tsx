import { useState } from "preact/hooks";
import type { ClusterEvent } from "../api/wire.js";
import { actorName } from "../keys/actor-name.js";
import { fragmentOf, type ClusterView } from "../place/route.js";
import { formatCount } from "../time/format.js";
import { instantText } from "../time/zone.js";
import { Icon } from "../ui/icon.js";
import { eventWords } from "./event-words.js";
import { isLater } from "./known-events.js";
import type { NameOf } from "../nodes/node-names.js";

const rowsAtOnce = 25;

interface EventListProps {
  /** Newest first. */
  events: readonly ClusterEvent[];
  /** The one that is shown from near. */
  focus: ClusterEvent;
  view: ClusterView;
  nameOf: NameOf;
}

/** The events, newest first, page by page. Rows keep their places: what came since is counted until it is asked for. */
export function EventList({ events, focus, view, nameOf }: EventListProps) {
  const ofNode = view.node === undefined ? events : events.filter((event) => isAbout(event, view.node!));
  const [newest, setNewest] = useState(() => newestId(events));
  const [page, setPage] = useState(0);
  const shown = ofNode.filter(({ id }) => !isLater(id, newest));
  const newer = ofNode.length - shown.length;
  const pages = Math.max(1, Math.ceil(shown.length / rowsAtOnce));
  const at = Math.min(page, pages - 1);
  const showNewer = (): void => {
    setNewest(newestId(events));
    setPage(0);
  };
  return (
    <>
      <div class="events-head">
        <h3>Events</h3>
        <span role="status">
          {newer > 0 && (
            <button type="button" class="tiny" onClick={showNewer}>
              {formatCount(newer)} came: show the list as it is
            </button>
          )}
        </span>
      </div>
      {ofNode.length === 0 && <p class="body small muted">Nothing happened to this node in this time.</p>}
      <ol class="tl-list" aria-label="Events">
        {shown.slice(at * rowsAtOnce, (at + 1) * rowsAtOnce).map((event) => (
          <Row key={event.id} isFocus={event.id === focus.id} event={event} view={view} nameOf={nameOf} />
        ))}
      </ol>
      {pages > 1 && (
        <footer>
          <nav class="pager" aria-label="Pages of the events">
            <button type="button" class="tiny" disabled={at === 0} onClick={() => setPage(at - 1)}>
              Previous
            </button>
            <span>
              Page {at + 1} of {pages}
            </span>
            <button type="button" class="tiny" disabled={at === pages - 1} onClick={() => setPage(at + 1)}>
              Next
            </button>
          </nav>
        </footer>
      )}
    </>
  );
}

interface RowProps {
  event: ClusterEvent;
  isFocus: boolean;
  view: ClusterView;
  nameOf: NameOf;
}

function Row({ event, isFocus, view, nameOf }: RowProps) {
  const { icon, state, text, note } = eventWords(event, { nameOf, actorName });
  return (
    <li class={isFocus ? "is-chosen" : undefined}>
      <time datetime={event.at} title={instantText(Date.parse(event.at))}>
        {rowTime(event.at)}
      </time>
      <span class={`is-${state}`}>
        <Icon name={icon} />
      </span>
      <a
        class="row"
        href={fragmentOf({ page: "cluster", view: { ...view, event: event.id } })}
        aria-current={isFocus ? "true" : undefined}
      >
        {text}
      </a>
      <span class="muted small">{note}</span>
    </li>
  );
}

/** `11-21 09:00:00.1`. */
function rowTime(at: string): string {
  return instantText(Date.parse(at)).slice(5, 21);
}

/** Whether it happened to the node, or the node took it over. */
function isAbout(event: ClusterEvent, label: string): boolean {
  return (
    event.node?.label === label ||
    (event.kind === "TAKEOVER" && event.facts.from.some((node) => node.label === label)) ||
    (event.kind === "TERM" && event.facts.before?.label === label)
  );
}

function newestId(events: readonly ClusterEvent[]): string {
  return events.reduce((newest, { id }) => (isLater(id, newest) ? id : newest), "0");
}
