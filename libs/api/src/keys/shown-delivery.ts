import { type ApiKey, hasRole, mayReadPayloads } from "@tickwheel/core";
import type { DeliveryFields } from "@tickwheel/calls";

/**
 * Where a webhook goes, as the key's holder may see it. Its path may be a credential, so a viewer sees the origin
 * alone; its headers may hold some, so they belong to the right `payload`.
 */
export function shownDelivery(deliver: DeliveryFields, apiKey: ApiKey): DeliveryFields {
  if (!hasRole(apiKey, "operator")) return { kind: deliver.kind, url: new URL(deliver.url).origin };
  if (mayReadPayloads(apiKey)) return deliver;
  const { headers: _headers, ...shown } = deliver;
  return shown;
}
