import { type Fault, isTaskId, type JoinedConditions } from "@tickwheel/core";
import type { BatchService } from "@tickwheel/engine";
import { throwFaults } from "@tickwheel/contract";

/**
 * A filter whose batch is told by its id: one that is told by its name is looked up once, now.
 *
 * @throws TickwheelError `VALIDATION_FAILED`: the namespace keeps no batch of this name
 */
export async function withBatchIds(
  { also, ...filter }: JoinedConditions,
  namespace: string,
  batches: Pick<BatchService, "get">,
): Promise<JoinedConditions> {
  const [whole, besides] = await Promise.all([filter, also ?? {}].map((one) => withBatchId(one, namespace, batches)));
  return also === undefined ? whole! : { ...whole!, also: besides! };
}

async function withBatchId<Filter extends { batch?: string }>(
  filter: Filter,
  namespace: string,
  batches: Pick<BatchService, "get">,
): Promise<Filter> {
  const { batch: name } = filter;
  if (name === undefined || isTaskId(name)) return filter;
  const batch = await batches.get({ namespace, name });
  if (batch === null) throwFaults([noBatchNamed(name)]);
  return { ...filter, batch: batch!.id };
}

function noBatchNamed(name: string): Fault {
  return { path: "batch", message: `must be the id or the name of a batch: none is called "${name}"` };
}
