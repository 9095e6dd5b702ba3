import { type ApiKey, hasRole, mayReadPayloads } from "@tickwheel/core";
import type { DeliveryFields } from "@tickwheel/calls";

/**
 * Where a task is sent, as the key's holder may see it. The path of a webhook may be a credential, so a viewer sees the
 * origin alone; headers may hold some, so they belong to the right `payload`.
 */
export function shownDelivery(deliver: DeliveryFields, apiKey: ApiKey): DeliveryFields {
  if (mayReadPayloads(apiKey) && hasRole(apiKey, "operator")) return deliver;
  const { headers: _headers, ...shown } = deliver;
  if (hasRole(apiKey, "operator") || shown.url === undefined) return shown;
  return { kind: shown.kind, url: new URL(shown.url).origin };
}
