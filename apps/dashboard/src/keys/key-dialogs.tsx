import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import type { Answer } from "../api/api-client.js";
import type { FieldFault } from "../api/problem.js";
import type { TickwheelApi } from "../api/tickwheel-api.js";
import type { ApiKey, ApiKeyRole, NewApiKey } from "../api/wire.js";
import { TextField } from "../operations/operation-fields.js";
import { AskingDialog } from "../session/asking-dialog.js";
import { session } from "../session/session.js";
import { ownZone } from "../time/zone.js";
import { DraftInput } from "../ui/draft-input.js";
import { toast } from "../ui/toast.js";
import {
  changesOf,
  draftOf,
  emptyKey,
  faultsAt,
  keyBodyOf,
  rightsOf,
  typesOf,
  typesText,
  type ChangeDraft,
  type KeyDraft,
} from "./key-draft.js";
import { Check, PayloadField, RoleField, TypesField } from "./key-fields.js";
import { keyName } from "./key-words.js";

/** A draft in a dialog, and what is wrong with its fields. */
function useDrafted<Draft extends object>(begin: Draft) {
  const draft = useSignal(begin);
  const faults = useSignal<readonly FieldFault[]>([]);
  const onChange = (fields: Partial<Draft>): void => void (draft.value = { ...draft.value, ...fields });
  /** Puts what is wrong to the fields. */
  const told = (answer: Answer<unknown>): Answer<unknown> => {
    const split = faultsAt(answer, Object.keys(begin));
    faults.value = split.faults;
    return split.answer;
  };
  return { draft: draft.value, faults: faults.value, onChange, told };
}

interface MakingProps {
  api: TickwheelApi;
  /** Takes the key, which nobody can show again. */
  onMade: (made: NewApiKey) => void;
  onClose: () => void;
}

/** Asks what a new key is to be. */
export function NewKeyDialog({ api, onMade, onClose }: MakingProps) {
  const { told, ...drafted } = useDrafted<KeyDraft>(emptyKey);
  const { draft, onChange } = drafted;
  const send = async (): Promise<Answer<unknown>> => {
    const answer = await api.keys.create(keyBodyOf(draft));
    if (answer.ok) onMade(answer.value);
    return told(answer);
  };
  return (
    <AskingDialog title="New API key" confirm="Make key" send={send} onSent={onClose} onClose={onClose}>
      <DraftInput<KeyDraft>
        {...drafted}
        name="name"
        label="Name"
        hint="Who calls with it, such as shop-backend: 1 to 64 of A-Z a-z 0-9 . _ -"
      />
      <RoleField role={draft.role} onChange={(role) => onChange({ role })} />
      <TypesField {...drafted} role={draft.role} />
      <PayloadField {...draft} onChange={(payload) => onChange({ payload })} />
      {session.value?.cluster && draft.role !== "worker" && (
        <Check
          text="With the right cluster: it may also see and change what is of the whole cluster"
          isChecked={draft.cluster}
          onChange={(cluster) => onChange({ cluster })}
        />
      )}
      <DraftInput<KeyDraft>
        {...drafted}
        name="expiresAt"
        label="Ends"
        type="datetime-local"
        hint={`${ownZone()}; empty: it works until somebody revokes it`}
      />
    </AskingDialog>
  );
}

interface RotateDraft {
  overlap: string;
  role: ApiKeyRole;
  types: string;
  payload: boolean;
}

/** Asks how a key is rotated: another key of its name takes its place. */
export function RotateDialog({ api, apiKey, onMade, onClose }: MakingProps & { apiKey: ApiKey }) {
  const { told, ...drafted } = useDrafted<RotateDraft>({
    overlap: "24h",
    role: apiKey.role,
    types: typesText(apiKey.types),
    payload: apiKey.rights.includes("payload"),
  });
  const { draft, onChange } = drafted;
  const send = async (): Promise<Answer<unknown>> => {
    const overlap = draft.overlap.trim();
    const may = { role: draft.role, rights: rightsOf(draft) };
    const ofWorker = draft.role === "worker" && { cluster: false, types: typesOf(draft.types) };
    const answer = await api.keys.rotate(apiKey.id, { ...(overlap !== "" && { overlap }), ...may, ...ofWorker });
    if (answer.ok) onMade(answer.value);
    return told(answer);
  };
  return (
    <AskingDialog
      send={send}
      onClose={onClose}
      title={`Rotate ${keyName(apiKey.name)}?`}
      confirm="Rotate key"
      onSent={onClose}
    >
      <p>A new key of this name is made. The old one goes on for a while, so that you can move without a gap.</p>
      {isOwn(apiKey) && <p>You are using this key: when it ends, log in with the new one.</p>}
      <DraftInput<RotateDraft>
        {...drafted}
        name="overlap"
        label="Both work for"
        hint="Such as 24h or 7d, at most 30d; 0s: the old one ends now. Empty: 24h"
      />
      <RoleField role={draft.role} onChange={(role) => onChange({ role })} />
      <TypesField {...drafted} role={draft.role} />
      <PayloadField {...draft} onChange={(payload) => onChange({ payload })} />
    </AskingDialog>
  );
}

interface ChangeDialogProps {
  api: TickwheelApi;
  apiKey: ApiKey;
  onChanged: () => void;
  onClose: () => void;
}

/** Asks for another name or another end of a key, and for other types of a worker's. */
export function ChangeDialog({ api, apiKey, onChanged, onClose }: ChangeDialogProps) {
  const before = useRef(draftOf(apiKey)).current;
  const { told, ...drafted } = useDrafted<ChangeDraft>(before);
  const changes = changesOf(before, drafted.draft);
  const onSent = (): void => {
    toast("Changed.");
    onClose();
    onChanged();
  };
  return (
    <AskingDialog
      onSent={onSent}
      onClose={onClose}
      title={`Change ${keyName(apiKey.name)}`}
      confirm="Change key"
      isReady={Object.keys(changes).length > 0}
      send={async () => told(await api.keys.change(apiKey.id, changes))}
    >
      <p>Role and rights never change: rotate the key for others.</p>
      <DraftInput<ChangeDraft> {...drafted} name="name" label="Name" hint="1 to 64 of A-Z a-z 0-9 . _ -" />
      <TypesField {...drafted} role={apiKey.role} />
      <DraftInput<ChangeDraft>
        {...drafted}
        name="expiresAt"
        label="Ends"
        type="datetime-local"
        hint={`${ownZone()}; empty: it works until somebody revokes it`}
      />
    </AskingDialog>
  );
}

interface RevokeDialogProps {
  api: TickwheelApi;
  apiKey: ApiKey;
  onRevoked: () => void;
  onClose: () => void;
}

/** Asks before a key is revoked, and once more if it is the one that the page is logged in with. */
export function RevokeDialog({ api, apiKey, onRevoked, onClose }: RevokeDialogProps) {
  const reason = useSignal("");
  const isMeant = useSignal(false);
  const self = isOwn(apiKey);
  const send = (): Promise<Answer<unknown>> => {
    const given = reason.value.trim();
    return api.keys.revoke(apiKey.id, { ...(given !== "" && { reason: given }), ...(self && { self }) });
  };
  const onSent = (): void => {
    toast("Revoked. It works on no node after 5 s.");
    onClose();
    onRevoked();
  };
  return (
    <AskingDialog
      send={send}
      onSent={onSent}
      onClose={onClose}
      title={`Revoke ${keyName(apiKey.name)}?`}
      confirm="Revoke key"
      isDanger
      isReady={!self || isMeant.value}
    >
      <p>
        Calls with it are refused within 5 s, on all nodes, and its sessions end. This cannot be undone; where it is
        still used, rotate it first.
      </p>
      {self && (
        <>
          <p class="ink is-dead">You are using this key: you will be logged out.</p>
          <Check
            text="Revoke it all the same"
            isChecked={isMeant.value}
            onChange={(meant) => void (isMeant.value = meant)}
          />
        </>
      )}
      <TextField label="Reason (goes to the audit)" value={reason.value} onInput={(text) => (reason.value = text)} />
    </AskingDialog>
  );
}

/** Whether the page is logged in with this key. */
export function isOwn({ id }: Pick<ApiKey, "id">): boolean {
  return session.value?.keyId === id;
}
