import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { prettyJson } from "../api/json.js";
import type { TypeDetails } from "../api/wire.js";
import { useReading } from "../feeds/use-reading.js";
import { DataTable, type Column } from "../ui/data-table.js";
import { exampleOf, fieldsOf, type SchemaField, type TypePayload } from "./payload-schema.js";

/** A type is looked up when nobody has typed for so long. */
const pauseMs = 300;

const columns: readonly Column<SchemaField>[] = [
  { head: "Field", cell: ({ path }) => <code>{path}</code>, at: "a" },
  { head: "Kind", cell: ({ kind }) => kind, at: "b" },
  { head: "Required", cell: ({ isRequired }) => (isRequired ? "required" : "optional"), at: "c" },
  { head: "Example", cell: ({ example }) => (example === "" ? "" : <code>{example}</code>), at: "c2" },
  { head: "Description", cell: ({ description }) => description, at: "d", isWide: true },
];

/** What a node tells of a type. */
export type KnownType = TypeDetails & TypePayload;

interface SchemaFieldsProps {
  /** What is known of the type; null: nothing. */
  details: TypePayload | null;
  onExample: (payload: string) => void;
}

/** What is known of a type that is being typed; null: nothing, or nothing yet. */
export function useTypeDetails(type: string): KnownType | null {
  const settled = useSettled(type.trim());
  return useReading<KnownType>(settled === "" ? null : `/types/${encodeURIComponent(settled)}`).value;
}

/** What the payload of this type must be, where its nodes announce it. */
export function SchemaFields({ details: value, onExample }: SchemaFieldsProps) {
  const schema = value?.payloadSchema;
  if (!value || !schema) return null;
  const fields = fieldsOf(schema);
  const version = value.payloadVersion === null ? "" : `, version ${value.payloadVersion}`;
  return (
    <fieldset>
      <legend>
        Payload of {value.type}
        {version}
      </legend>
      {fields.length > 0 && (
        <DataTable caption={`Fields of ${value.type}`} columns={columns} rows={fields} rowKey={({ path }) => path} />
      )}
      <div class="actions">
        <button type="button" class="tiny" onClick={() => onExample(prettyJson(exampleOf(schema)))}>
          Insert an example
        </button>
      </div>
    </fieldset>
  );
}

/** The text as it is once nobody types any more. */
function useSettled(text: string): string {
  const settled = useSignal(text);
  useEffect(() => {
    const timer = setTimeout(() => (settled.value = text), pauseMs);
    return () => clearTimeout(timer);
  }, [text]);
  return settled.value;
}
