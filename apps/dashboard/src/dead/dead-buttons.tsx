import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { TickwheelApi } from "../api/tickwheel-api.js";
import type { DeadGroup } from "../api/wire.js";
import { OperationDialog } from "../operations/operation-dialog.js";
import { mayAs, whyReadOnly } from "../session/session.js";
import { formatCount } from "../time/format.js";
import { Banner } from "../ui/banner.js";
import { Icon } from "../ui/icon.js";
import { failingText, filterOfGroup } from "./dead-words.js";

interface DeadButtonsProps {
  api: TickwheelApi;
  group: DeadGroup;
}

/** Retries or discards all tasks of a group, as an operation. */
export function DeadButtons({ api, group }: DeadButtonsProps) {
  const open = useSignal<"retry" | "discard" | null>(null);
  const { type, fingerprint, count } = group;
  if (fingerprint === null || !mayAs("operator")) return null;
  const meant = { kind: "filter", filter: filterOfGroup({ type, fingerprint }) } as const;
  const disabled = { disabled: whyReadOnly.value !== null, title: whyReadOnly.value ?? undefined };
  return (
    <span class="actions">
      <button type="button" class="tiny" {...disabled} onClick={() => (open.value = "retry")}>
        <Icon name="undo" />
        Retry {formatCount(count)}…
      </button>
      <button type="button" class="tiny bare" {...disabled} onClick={() => (open.value = "discard")}>
        Discard…
      </button>
      {open.value && (
        <OperationDialog
          key={open.value}
          api={api}
          meant={meant}
          action={open.value}
          warning={open.value === "retry" ? <StillFailing api={api} type={type} /> : undefined}
          onClose={() => (open.value = null)}
        />
      )}
    </span>
  );
}

/** Tells that the type's attempts still fail. */
function StillFailing({ api, type }: { api: TickwheelApi; type: string }) {
  const failedShare = useSignal<number | null>(null);
  useEffect(() => {
    void api.deadLetters.failedShareOf(type).then((share) => (failedShare.value = share));
  }, [type]);
  const text = failingText(failedShare.value);
  return text === null ? null : (
    <Banner severity="warning" title={`${type} still fails`}>
      {text}
    </Banner>
  );
}
