import { useSignal } from "@preact/signals";
import type { TickwheelApi } from "../api/tickwheel-api.js";
import type { ApiKey, ApiKeyState, NewApiKey } from "../api/wire.js";
import { ListFoot, NewerButton } from "../feeds/list-foot.js";
import { useHeldList } from "../feeds/use-held-list.js";
import { whyReadOnly } from "../session/session.js";
import { Empty } from "../ui/empty.js";
import { PageHead } from "../ui/page-head.js";
import { Panel } from "../ui/panel.js";
import { ProblemView } from "../ui/problem-view.js";
import { Seg } from "../ui/seg.js";
import { Skeleton } from "../ui/skeleton.js";
import { NewKeyDialog } from "./key-dialogs.js";
import { whichKeys } from "./key-words.js";
import { KeysTable } from "./keys-table.js";
import { SessionsPanel } from "./sessions-panel.js";
import { ShownKey } from "./shown-key.js";

const pollMs = 10_000;

type Which = ApiKeyState | "all";

/** The API keys of the namespace, and who is logged in with them; for administrators. */
export function KeysPage({ api }: { api: TickwheelApi }) {
  const which = useSignal<Which>("works");
  const isAsked = useSignal(false);
  const made = useSignal<NewApiKey | null>(null);
  const { list, trail, open } = useHeldList<ApiKey, Which>({
    everyMs: pollMs,
    filter: which.value,
    read: (state, cursor) => api.keys.list(state === "all" ? undefined : state, cursor),
  });
  const onMade = (key: NewApiKey): void => {
    made.value = key;
    open([]);
  };
  return (
    <>
      <PageHead
        name="API keys"
        sub={<Explanation />}
        actions={<NewKeyButton onClick={() => (isAsked.value = true)} />}
      />
      <Panel
        title="Keys"
        more={
          <>
            <NewerButton list={list} trail={trail} onOpen={open} />
            <Seg<Which>
              label="Which keys"
              choices={whichKeys}
              value={which.value}
              onChange={(value) => void (which.value = value)}
            />
          </>
        }
      >
        {!list.rows && (list.problem ? <ProblemView problem={list.problem} /> : <Skeleton lines={4} />)}
        {list.rows?.length === 0 && <Empty icon="lock" title="There is no such key" />}
        {list.rows && list.rows.length > 0 && (
          <KeysTable api={api} onMade={onMade} rows={list.rows} onChanged={() => open(trail)} />
        )}
        <ListFoot list={list} trail={trail} onOpen={open} />
      </Panel>
      <SessionsPanel api={api} />
      {isAsked.value && <NewKeyDialog api={api} onMade={onMade} onClose={() => (isAsked.value = false)} />}
      {made.value && <ShownKey made={made.value} onClose={() => (made.value = null)} />}
    </>
  );
}

/** What keys are for. */
function Explanation() {
  return (
    <p>
      Programs call the API with a key, and people log this page in with one. A worker's key may claim tasks of the
      types that it names, and nothing else.
    </p>
  );
}

function NewKeyButton({ onClick }: { onClick: () => void }) {
  const why = whyReadOnly.value;
  return (
    <button type="button" class="primary" disabled={why !== null} title={why ?? undefined} onClick={onClick}>
      New key…
    </button>
  );
}
