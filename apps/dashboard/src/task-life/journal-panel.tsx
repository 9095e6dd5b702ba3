import { sentenceOf } from "../api/problem.js";
import type { JournalEntry, JournalPage } from "../api/wire.js";
import type { Feed } from "../feeds/feed.js";
import { actorName } from "../keys/actor-name.js";
import { entryWithNames } from "../nodes/known-nodes.js";
import { formatCount } from "../time/format.js";
import { Instant } from "../time/instant.js";
import { Empty } from "../ui/empty.js";
import { Icon } from "../ui/icon.js";
import { Panel } from "../ui/panel.js";
import { Skeleton } from "../ui/skeleton.js";
import { journalWords } from "./journal-words.js";

function withNames(entry: JournalEntry): JournalEntry {
  return { ...entryWithNames(entry), actor: entry.actor === null ? null : actorName(entry.actor) };
}

interface JournalProps {
  journal: Feed<JournalPage>;
  maxAttempts: number;
  onMore: () => void;
}

/** What has happened to the task, newest first. A long journal is read from its beginning, page by page. */
export function JournalPanel(props: JournalProps) {
  return (
    <Panel title="Journal" note={noteOf(props.journal.value)}>
      <Entries {...props} />
    </Panel>
  );
}

function noteOf(page: JournalPage | null): string | null {
  if (!page) return null;
  const { items, nextCursor } = page;
  if (nextCursor !== null) return `The first ${formatCount(items.length)} entries, newest of these first`;
  return items.length === 1 ? "One entry" : `${formatCount(items.length)} entries, newest first`;
}

function Entries({ journal: { value, problem }, maxAttempts, onMore }: JournalProps) {
  if (!value) return problem ? <p class="body">{sentenceOf(problem)} It is tried again.</p> : <Skeleton />;
  const { items, nextCursor } = value;
  if (items.length === 0) return <Empty icon="tasks" title="The journal is empty" />;
  return (
    <>
      {nextCursor !== null && (
        <footer>
          <button type="button" class="tiny" onClick={onMore}>
            Read on
          </button>
        </footer>
      )}
      <ol class="journal" aria-label="Journal">
        {items
          .map((entry, place) => ({ entry, place, words: journalWords(withNames(entry), maxAttempts) }))
          .toReversed()
          .map(({ entry, place, words: { mark, text, detail } }) => (
            <li key={place}>
              <Instant at={entry.at} as="full" isAlone />
              <span class={`st is-${mark}`}>
                <Icon name={mark} />
              </span>
              <span>
                {text} <span class="muted">{detail}</span>
              </span>
            </li>
          ))}
      </ol>
    </>
  );
}
