import type { Type } from "@nestjs/common";
import { CLUSTER_OPERATIONS } from "@tickwheel/contract/operations";
import { restController } from "../calls/rest-controller.js";
import { ClusterApiService } from "./cluster-api.service.js";

/** REST about the cluster's nodes, and the figures of the key's namespace. */
export const ClusterController: Type<object> = restController(CLUSTER_OPERATIONS, ClusterApiService, {});
