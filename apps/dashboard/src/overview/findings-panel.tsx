import type { ComponentChildren } from "preact";
import type { Findings } from "../api/asked.js";
import type { Finding as FindingOf } from "../api/wire.js";
import { useReading } from "../feeds/use-reading.js";
import { topicPaths } from "../feeds/topics.js";
import { session } from "../session/session.js";
import { useSignal } from "@preact/signals";
import { formatDuration, formatNumberOf } from "../time/format.js";
import { Instant } from "../time/instant.js";
import { Finding, Verdict } from "../ui/finding.js";
import { Skeleton } from "../ui/skeleton.js";
import { linksOf } from "./finding-links.js";
import type { Verdict as VerdictOf } from "./verdict.js";

const most = 5;

interface FindingsPanelProps {
  verdict: VerdictOf;
  findings: Findings | null;
  note: ComponentChildren;
}

/** The first thing an operator reads: the verdict, then what is the matter, worst first, then what was. */
export function FindingsPanel({ verdict, findings, note }: FindingsPanelProps) {
  const now = findings?.now ?? [];
  return (
    <section class="panel findings" aria-label="Verdict">
      <Verdict level={verdict.level} text={verdict.text} note={note} />
      {now.slice(0, most).map((finding) => (
        <OneFinding key={finding.id} finding={finding} />
      ))}
      {now.length > most && (
        <details class="more-findings">
          <summary>{now.length - most} more</summary>
          {now.slice(most).map((finding) => (
            <OneFinding key={finding.id} finding={finding} />
          ))}
        </details>
      )}
      {findings ? <LastDay newest={findings.lastDay} /> : <Skeleton lines={2} />}
    </section>
  );
}

function OneFinding({ finding }: { finding: FindingOf }) {
  const { severity, title, since, consequence, cure } = finding;
  const links = linksOf(finding, session.value?.cluster ?? false);
  return (
    <Finding
      severity={severity}
      title={title}
      since={since}
      what={consequence}
      cure={cure}
      actions={
        links.length > 0 &&
        links.map(({ text, href }, index) => (
          <a key={href} class={index === 0 ? "btn tiny" : "btn tiny bare"} href={href}>
            {text}
          </a>
        ))
      }
    />
  );
}

/** What was the matter and is over. The stream tells the newest; all are read when somebody opens it. */
function LastDay({ newest }: { newest: readonly FindingOf[] }) {
  const isOpen = useSignal(false);
  const { value } = useReading<Findings>(isOpen.value ? topicPaths.findings : null);
  if (newest.length === 0) return <p class="more-findings none">Nothing else in the last 24 hours.</p>;
  const all = value?.lastDay ?? newest;
  return (
    <details class="more-findings" onToggle={(event) => (isOpen.value = event.currentTarget.open)}>
      <summary>The last 24 hours</summary>
      <ul class="last-day" role="list">
        {all.map(({ id, severity, title, since, until, consequence }) => (
          <li key={id} class={`is-${severity}`} title={consequence}>
            <span class="dot" />
            <span>
              <span class="sr">{severity}: </span>
              {title}
            </span>
            <span class="muted">
              <Instant at={since} isAlone /> to <Instant at={until} isAlone />, {lastedText(since, until)}
            </span>
          </li>
        ))}
      </ul>
      {value && all.length > newest.length && <p class="none">{formatNumberOf(all.length, "finding")} in all.</p>}
    </details>
  );
}

function lastedText(since: string, until: string | null): string {
  return until === null ? "" : formatDuration(Math.max(0, Date.parse(until) - Date.parse(since)));
}
