import { useSignal } from "@preact/signals";
import type { TickwheelApi } from "../api/tickwheel-api.js";
import type { PageSession } from "../api/wire.js";
import { ListFoot } from "../feeds/list-foot.js";
import { useHeldList } from "../feeds/use-held-list.js";
import { AskingDialog } from "../session/asking-dialog.js";
import { whyReadOnly } from "../session/session.js";
import { Instant } from "../time/instant.js";
import { type Column, DataTable } from "../ui/data-table.js";
import { Panel } from "../ui/panel.js";
import { ProblemView } from "../ui/problem-view.js";
import { Skeleton } from "../ui/skeleton.js";
import { toast } from "../ui/toast.js";
import { keyName } from "./key-words.js";
import { KeyCell } from "./keys-table.js";

const pollMs = 10_000;

/** Who is logged in with this page, by the keys of the namespace. */
export function SessionsPanel({ api }: { api: TickwheelApi }) {
  const { list, trail, open } = useHeldList<PageSession, null>({
    everyMs: pollMs,
    filter: null,
    isBeside: true,
    read: (_filter, cursor) => api.keys.sessions(cursor),
  });
  return (
    <Panel title="Sessions" note="Who is logged in with this page, by which key.">
      {!list.rows && (list.problem ? <ProblemView problem={list.problem} /> : <Skeleton lines={3} />)}
      {list.rows && list.rows.length > 0 && (
        <DataTable
          caption="Sessions"
          columns={columnsFor(api, () => open(trail))}
          rows={list.rows}
          rowKey={({ id }) => id}
        />
      )}
      {list.rows?.length === 0 && <p class="body muted">Nobody is logged in with a key.</p>}
      <ListFoot list={list} trail={trail} onOpen={open} />
    </Panel>
  );
}

function columnsFor(api: TickwheelApi, onEnded: () => void): Column<PageSession>[] {
  return [
    {
      head: "Key",
      at: "a",
      cell: ({ keyName: name, keyPrefix: prefix, isOwn }) => (
        <KeyCell name={name} prefix={prefix} note={isOwn ? "your session" : null} />
      ),
    },
    { head: "Role", at: "b", cell: ({ role }) => role },
    { head: "Logged in", at: "c", cell: ({ createdAt }) => <Instant at={createdAt} as="distance" /> },
    { head: "Last used", at: "c2", cell: ({ usedAt }) => <Instant at={usedAt} as="distance" /> },
    { head: "Ends", isLow: true, cell: ({ endsAt }) => <Instant at={endsAt} as="distance" /> },
    {
      head: "Actions",
      headCell: <span class="sr">Actions</span>,
      at: "d",
      cell: (session) => <EndButton key={session.id} api={api} session={session} onEnded={onEnded} />,
    },
  ];
}

interface EndProps {
  api: TickwheelApi;
  session: PageSession;
  onEnded: () => void;
}

function EndButton({ api, session, onEnded }: EndProps) {
  const isAsked = useSignal(false);
  const close = (): void => void (isAsked.value = false);
  const why = whyReadOnly.value;
  const name = keyName(session.keyName);
  const onSent = (): void => {
    toast("Ended.");
    close();
    onEnded();
  };
  return (
    <>
      <div class="actions">
        <button
          type="button"
          class="tiny"
          disabled={why !== null}
          title={why ?? undefined}
          aria-label={`End a session of ${name}…`}
          onClick={() => (isAsked.value = true)}
        >
          End…
        </button>
      </div>
      {isAsked.value && (
        <AskingDialog
          title={`End this session of ${name}?`}
          confirm="End session"
          isDanger
          send={() => api.keys.endSession(session.id)}
          onSent={onSent}
          onClose={close}
        >
          <p>
            {session.isOwn
              ? "It is yours: you will be logged out, and can log in again."
              : "Its page is logged out within 5 s. Its key goes on: to keep somebody out, revoke the key."}
          </p>
        </AskingDialog>
      )}
    </>
  );
}
