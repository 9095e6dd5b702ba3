import type { Answer } from "../api/api-client.js";
import type { KeyChangesBody, NewKeyBody } from "../api/key-api.js";
import type { FieldFault } from "../api/problem.js";
import type { ApiKey, ApiKeyRight, ApiKeyRole } from "../api/wire.js";
import { localTime } from "../time/wall-clock.js";
import { fieldOf } from "../ui/draft-input.js";

/** A key as it is written in the form. */
export interface KeyDraft {
  readonly name: string;
  readonly role: ApiKeyRole;
  readonly cluster: boolean;
  /** Whether it has the right `payload`. */
  readonly payload: boolean;
  /** The types of a worker, apart by spaces, commas or lines. */
  readonly types: string;
  /** The browser's local time, or empty. */
  readonly expiresAt: string;
}

export const emptyKey: KeyDraft = {
  name: "",
  role: "viewer",
  cluster: false,
  payload: false,
  types: "",
  expiresAt: "",
};

/** What is sent for a draft. */
export function keyBodyOf({ name, role, cluster, payload, types, expiresAt }: KeyDraft): NewKeyBody {
  const end = new Date(expiresAt);
  const rights = rightsOf({ role, payload });
  const isWorker = role === "worker";
  return {
    name: name.trim(),
    role,
    ...(cluster && !isWorker && { cluster }),
    ...(rights.length > 0 && { rights }),
    ...(isWorker && { types: typesOf(types) }),
    ...(!Number.isNaN(end.getTime()) && { expiresAt: end.toISOString() }),
  };
}

/** What a key gets besides its role; an administrator needs nothing, and a worker may have nothing. */
export function rightsOf({ role, payload }: Pick<KeyDraft, "role" | "payload">): ApiKeyRight[] {
  return payload && (role === "viewer" || role === "operator") ? ["payload"] : [];
}

/** The types that a text names. */
export function typesOf(text: string): string[] {
  return text.split(/[\s,]+/).filter((type) => type !== "");
}

/** Types as the form has them, one on a line. */
export function typesText(types: readonly string[] | null): string {
  return (types ?? []).join("\n");
}

/** What can be changed of a key, as the form has it. */
export type ChangeDraft = Pick<KeyDraft, "name" | "types" | "expiresAt">;

export function draftOf({ name, types, expiresAt }: Pick<ApiKey, "name" | "types" | "expiresAt">): ChangeDraft {
  const end = expiresAt === null ? "" : localTime(Date.parse(expiresAt));
  return { name: name ?? "", types: typesText(types), expiresAt: end };
}

/** What is sent of a changed draft: what stands there as before is left out, an end that was emptied is null. */
export function changesOf(before: ChangeDraft, { name, types, expiresAt }: ChangeDraft): KeyChangesBody {
  const end = new Date(expiresAt);
  const named = typesOf(types);
  return {
    ...(name.trim() !== before.name && { name: name.trim() }),
    ...(typesText(named) !== before.types && { types: named }),
    ...(expiresAt !== before.expiresAt && { expiresAt: Number.isNaN(end.getTime()) ? null : end.toISOString() }),
  };
}

/** What is said at a field in place of what programs are told. */
const wordsOfFields: Readonly<Record<string, string>> = { overlap: "must be from 0s to 30d, such as 24h" };

/** Which field a refusal without a path is about. */
const fieldsOfCodes: Readonly<Record<string, string>> = { KEY_EXISTS: "name" };

/** What of a refusal stands at the fields of a form: what belongs to none of them stays above them. */
export function faultsAt(
  answer: Answer<unknown>,
  fields: readonly string[],
): { faults: readonly FieldFault[]; answer: Answer<unknown> } {
  if (answer.ok) return { faults: [], answer };
  const { code, detail, title, errors } = answer.problem;
  const field = fieldsOfCodes[code ?? ""];
  if (field !== undefined && fields.includes(field))
    return { faults: [{ path: field, detail: detail ?? title }], answer: marked(answer, []) };
  const isAt = ({ path }: FieldFault): boolean => fields.includes(fieldOf(path));
  const faults = errors.filter(isAt).map(({ path, detail: told }) => ({ path, detail: wordsOfFields[path] ?? told }));
  if (faults.length === 0) return { faults, answer };
  return {
    faults,
    answer: marked(
      answer,
      errors.filter((fault) => !isAt(fault)),
    ),
  };
}

function marked(answer: Answer<unknown> & { ok: false }, errors: readonly FieldFault[]): Answer<unknown> {
  return { ok: false, problem: { ...answer.problem, detail: "What is wrong stands at the field.", errors } };
}
