import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { TickwheelApi } from "../api/tickwheel-api.js";
import type { ApiKey, NewApiKey } from "../api/wire.js";
import { whyReadOnly } from "../session/session.js";
import { Instant } from "../time/instant.js";
import { type Column, DataTable } from "../ui/data-table.js";
import { StateMark } from "../ui/state-mark.js";
import { actorName, keyNames } from "./actor-name.js";
import { ChangeDialog, isOwn, RevokeDialog, RotateDialog } from "./key-dialogs.js";
import { keyName, markOf, mayChange, mayRotate, rateText, rightsText, typesWords } from "./key-words.js";

interface KeyActions {
  api: TickwheelApi;
  onMade: (made: NewApiKey) => void;
  /** It was changed or revoked. */
  onChanged: () => void;
}

/** The keys of a page of the list, the newest first. */
export function KeysTable({ rows, ...actions }: KeyActions & { rows: readonly ApiKey[] }) {
  useEffect(() => keyNames.learn(rows), [rows]);
  return (
    <DataTable
      caption="Keys"
      columns={columnsFor(actions)}
      rows={rows}
      rowKey={({ id }) => id}
      isPast={({ state }) => state !== "works"}
    />
  );
}

function columnsFor(actions: KeyActions): Column<ApiKey>[] {
  return [
    { head: "Key", at: "a", cell: (key) => <KeyCell name={key.name} prefix={key.prefix} note={noteOf(key)} /> },
    { head: "Role, rights", at: "b", cell: (key) => <Rights apiKey={key} /> },
    { head: "State", at: "c", cell: (key) => <StateMark {...markOf(key)} /> },
    { head: "Last used", at: "c2", cell: (key) => <LastUse apiKey={key} /> },
    { head: "A second, on this node", isNumber: true, cell: rateText },
    { head: "Made", isLow: true, cell: (key) => <Made apiKey={key} by={actorName(key.createdBy)} /> },
    { head: "Ends", cell: (key) => <End apiKey={key} by={actorName(key.revokedBy ?? "")} /> },
    {
      head: "Actions",
      headCell: <span class="sr">Actions</span>,
      at: "d",
      cell: (key) => <KeyButtons key={key.id} apiKey={key} {...actions} />,
    },
  ];
}

interface KeyCellProps {
  name: string | null;
  prefix: string | null;
  /** Whose it is. */
  note: string | null;
}

export function KeyCell({ name, prefix, note }: KeyCellProps) {
  return (
    <>
      <b class="strong">{keyName(name)}</b>
      {prefix !== null && <span class="two mono">{prefix}…</span>}
      {note !== null && <span class="two">{note}</span>}
    </>
  );
}

const noteOf = (key: ApiKey): string | null => (isOwn(key) ? "you are using this key" : null);

/** Role and rights, and the types of a worker. */
function Rights({ apiKey }: { apiKey: ApiKey }) {
  const types = typesWords(apiKey);
  return (
    <>
      {rightsText(apiKey)}
      {types !== null && <span class="two mono">{types}</span>}
    </>
  );
}

function LastUse({ apiKey: { usedAt, usedFrom } }: { apiKey: ApiKey }) {
  if (usedAt === null) return <span class="muted">never</span>;
  return (
    <>
      <Instant at={usedAt} as="distance" />
      {usedFrom !== null && <span class="two mono">{usedFrom}</span>}
    </>
  );
}

function Made({ apiKey: { createdAt }, by }: { apiKey: ApiKey; by: string }) {
  return (
    <>
      <Instant at={createdAt} as="distance" />
      <span class="two">by {by}</span>
    </>
  );
}

function End({ apiKey: { expiresAt, revokedAt }, by }: { apiKey: ApiKey; by: string }) {
  if (revokedAt !== null)
    return (
      <>
        <Instant at={revokedAt} as="distance" />
        <span class="two">revoked by {by}</span>
      </>
    );
  return expiresAt === null ? <span class="muted">never</span> : <Instant at={expiresAt} as="distance" />;
}

type Asked = "change" | "rotate" | "revoke";

/** What can be done with a key; nothing with one that is over. */
function KeyButtons({ apiKey, api, onMade, onChanged }: KeyActions & { apiKey: ApiKey }) {
  const asked = useSignal<Asked | null>(null);
  const onClose = (): void => void (asked.value = null);
  if (apiKey.state === "revoked") return null;
  const button = (what: Asked, word: string) => (
    <button
      type="button"
      class="tiny"
      disabled={whyReadOnly.value !== null}
      title={whyReadOnly.value ?? undefined}
      aria-label={`${word} ${keyName(apiKey.name)}…`}
      onClick={() => (asked.value = what)}
    >
      {word}…
    </button>
  );
  return (
    <>
      <div class="actions">
        {mayChange(apiKey) && button("change", "Change")}
        {mayRotate(apiKey) && button("rotate", "Rotate")}
        {button("revoke", "Revoke")}
      </div>
      {asked.value === "change" && <ChangeDialog api={api} apiKey={apiKey} onChanged={onChanged} onClose={onClose} />}
      {asked.value === "rotate" && <RotateDialog api={api} apiKey={apiKey} onMade={onMade} onClose={onClose} />}
      {asked.value === "revoke" && <RevokeDialog api={api} apiKey={apiKey} onClose={onClose} onRevoked={onChanged} />}
    </>
  );
}
