import type { TypeDetails, TypeFigures } from "../api/wire.js";
import { nodeName } from "../nodes/known-nodes.js";
import { backoffWords } from "../schedules/rule-words.js";
import { exactDuration } from "../time/exact.js";
import { formatCount } from "../time/format.js";
import { Panel } from "../ui/panel.js";
import { Fact, LimitFacts } from "./limit-facts.js";
import { keptText } from "./type-words.js";

const RUNS_AS: Readonly<Record<TypeFigures["delivery"], string>> = {
  handler: "a handler",
  webhook: "a webhook",
  broker: "messages of a broker",
  pull: "a pull queue: consumers fetch it",
};

/** Where it runs, within which limits, and what it last failed of. */
export function StandingPanel({ figures }: { figures: TypeFigures }) {
  const { delivery, nodes, settings, limits, lastError } = figures;
  return (
    <Panel title="How it runs">
      <dl class="body facts">
        <Fact name="Runs as">{RUNS_AS[delivery]}</Fact>
        <Fact name="On" isCode>
          {nodes.map(nodeName).join(", ") || "–"}
        </Fact>
        <Fact name="At once on each node">{settings.concurrency && formatCount(settings.concurrency)}</Fact>
        <LimitFacts limits={limits} />
        <Fact name="Last error" isCode>
          {lastError}
        </Fact>
      </dl>
    </Panel>
  );
}

interface OptionsPanelProps {
  figures: TypeFigures;
  /** Null: they are not read yet. */
  defaults: TypeDetails["defaults"] | null;
}

/** What a new task gets where its creator says nothing, and how long an ended one is kept. */
export function OptionsPanel({ figures: { settings, delivery }, defaults }: OptionsPanelProps) {
  const { keepSucceeded, keepCancelled, keepDead } = settings;
  return (
    <Panel title="What its tasks get" note="Where their creator says nothing">
      <dl class="body facts">
        <Fact name="Attempts">{defaults && `at most ${formatCount(defaults.maxAttempts)}`}</Fact>
        <Fact name="Wait between">{defaults && backoffWords(defaults.backoff)}</Fact>
        <Fact name="Priority">{defaults && formatCount(defaults.priority)}</Fact>
        {/* A webhook's time-out is not the handler's. */}
        <Fact name="Time-out">{defaults && delivery !== "webhook" && exactDuration(defaults.timeout)}</Fact>
        <Fact name="Starts">
          {defaults?.startDeadline != null && `at most ${exactDuration(defaults.startDeadline)} late`}
        </Fact>
        <Fact name="Succeeded tasks are kept">
          {keepSucceeded === null ? "as all others" : keptText(keepSucceeded)}
        </Fact>
        <Fact name="Cancelled tasks are kept">
          {keepCancelled === null ? "as all others" : keptText(keepCancelled)}
        </Fact>
        <Fact name="Dead tasks are kept">{keepDead === null ? "as all others" : keptText(keepDead)}</Fact>
      </dl>
    </Panel>
  );
}
