import { useSignal } from "@preact/signals";
import type { NamespaceDetails } from "../api/wire.js";
import { actorName } from "../keys/actor-name.js";
import { api, mayAs, whyReadOnly } from "../session/session.js";
import { storeAway } from "../session/store-health.js";
import { Panel } from "../ui/panel.js";
import { ProblemView } from "../ui/problem-view.js";
import { Paused } from "./halts.js";
import { LimitFacts } from "./limit-facts.js";
import { LimitFields } from "./limit-fields.js";
import { limitsDraftOf, readLimits } from "./limits-draft.js";
import { SettingsDialog } from "./settings-dialog.js";
import { pausedBy } from "./type-words.js";
import { emptyFeed, feedAfter, waitAskedFor, type Feed } from "../feeds/feed.js";
import { usePolling } from "../feeds/use-polling.js";

/** What holds for all types together: the limits of the namespace, its pause. Empty for who finds and sets nothing. */
export function NamespacePanel() {
  const { namespace, readAgain } = useNamespace();
  const isAsked = useSignal(false);
  const { value, problem } = namespace;
  if (!value) return problem && storeAway.value === null && <ProblemView problem={problem} />;
  const { pause, limits } = value;
  const maySet = mayAs("admin");
  if (!maySet && !pause && !limits) return null;
  const close = (): void => void (isAsked.value = false);
  return (
    <Panel
      title={`Namespace ${value.namespace}`}
      note={limits ? "Its limits hold for all its types together, beside their own." : "It has no limits."}
      more={maySet && <LimitsButton onClick={() => (isAsked.value = true)} />}
    >
      {(pause || limits) && (
        <div class="body">
          {pause && <Paused label="The pause of the namespace" words={pausedBy(pause, actorName)} pause={pause} />}
          {limits && (
            <dl class="facts">
              <LimitFacts limits={limits} />
            </dl>
          )}
        </div>
      )}
      {isAsked.value && (
        <LimitsDialog
          namespace={value}
          onClose={close}
          onSent={() => {
            close();
            readAgain();
          }}
        />
      )}
    </Panel>
  );
}

function LimitsButton({ onClick }: { onClick: () => void }) {
  const why = whyReadOnly.value;
  return (
    <button type="button" class="tiny" disabled={why !== null} title={why ?? undefined} onClick={onClick}>
      Limits…
    </button>
  );
}

interface LimitsDialogProps {
  namespace: NamespaceDetails;
  onSent: () => void;
  onClose: () => void;
}

function LimitsDialog({ namespace: { namespace, limits }, ...dialog }: LimitsDialogProps) {
  return (
    <SettingsDialog
      {...dialog}
      title={`Limits of ${namespace}`}
      draft={limitsDraftOf(limits)}
      read={readLimits}
      change={(body) => api.settings.updateNamespace(body)}
    >
      {(drafted) => (
        <>
          <p>They hold for all its types together. A type may have less by its own.</p>
          <LimitFields {...drafted} />
        </>
      )}
    </SettingsDialog>
  );
}

const pollMs = 5_000;

/** How the namespace stands, read again and again beside the page's stream. */
function useNamespace() {
  const namespace = useSignal<Feed<NamespaceDetails>>(emptyFeed);
  const read = async (): Promise<number | undefined> => {
    namespace.value = feedAfter(namespace.value, await api.settings.namespace(), Date.now());
    return waitAskedFor(namespace.value);
  };
  const readAgain = usePolling(pollMs, read, { isBeside: true });
  return { namespace: namespace.value, readAgain };
}
