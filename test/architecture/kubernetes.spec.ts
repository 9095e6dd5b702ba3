import { readdirSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "@jest/globals";
import { DEFAULT_OPTIONS } from "@tickwheel/core";
import { loadAll } from "js-yaml";
import { read, root } from "./project-files.js";

const FOLDER = "docs/kubernetes";

interface Probe {
  httpGet: { path: string; port: string };
  periodSeconds: number;
  failureThreshold?: number;
}

interface Container {
  image: string;
  ports: { name: string; containerPort: number }[];
  env: { name: string; value?: string; valueFrom?: Record<string, Record<string, unknown>> }[];
  livenessProbe: Probe;
  readinessProbe: Probe;
}

interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: { name: string };
  spec: Record<string, unknown>;
}

/** What the manifests of one kind have, beside what all have. */
interface Deployment {
  replicas: number;
  selector: { matchLabels: object };
  strategy: object;
  template: {
    metadata: { labels: object };
    spec: { terminationGracePeriodSeconds: number; containers: Container[] };
  };
}

const manifests = readdirSync(join(root, FOLDER))
  .filter((file) => file.endsWith(".yaml"))
  .flatMap((file) => loadAll(read(join(FOLDER, file))) as Manifest[]);

function specOf<T>(kind: string): T {
  const found = manifests.filter((manifest) => manifest.kind === kind);
  expect(found).toHaveLength(1);
  return found[0]!.spec as T;
}

describe("the Kubernetes manifests", () => {
  let deployment: Deployment;
  let container: Container;

  beforeAll(() => {
    deployment = specOf("Deployment");
    container = deployment.template.spec.containers[0]!;
  });

  test("are of the kinds and versions that Kubernetes serves", () => {
    expect(manifests.map(({ apiVersion, kind }) => `${apiVersion} ${kind}`)).toEqual([
      "apps/v1 Deployment",
      "v1 Service",
      "policy/v1 PodDisruptionBudget",
    ]);
  });

  test("choose the same pods", () => {
    const labels = deployment.template.metadata.labels;
    expect(deployment.selector.matchLabels).toEqual(labels);
    expect(specOf<{ selector: object }>("Service").selector).toEqual(labels);
    expect(specOf<{ selector: object }>("PodDisruptionBudget").selector).toEqual({ matchLabels: labels });
  });

  test("take one node away at a time, for updates and for drained machines", () => {
    expect(deployment.replicas).toBeGreaterThan(1);
    expect(deployment.strategy).toEqual({ type: "RollingUpdate", rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } });
    expect(specOf("PodDisruptionBudget")).toMatchObject({ maxUnavailable: 1 });
  });

  test("agree with the node's port, its routes and its times", () => {
    const { ports, livenessProbe, readinessProbe } = container;
    expect(ports).toEqual([{ name: "http", containerPort: 3000 }]);
    expect(read("apps/scheduler/Dockerfile")).toContain("EXPOSE 3000");
    expect(specOf("Service")).toMatchObject({ ports: [{ name: "http", port: 80, targetPort: "http" }] });
    expect(livenessProbe.httpGet).toEqual({ path: "/health/live", port: "http" });
    expect(readinessProbe.httpGet).toEqual({ path: "/health/ready", port: "http" });
    expect(livenessProbe.periodSeconds * livenessProbe.failureThreshold! * 1_000).toBe(
      DEFAULT_OPTIONS.loopBlockedFenceMs,
    );
    const graceMs = deployment.template.spec.terminationGracePeriodSeconds * 1_000;
    expect(graceMs).toBeGreaterThan(DEFAULT_OPTIONS.drainTimeoutMs);
  });

  test("set variables that the node reads, name it by its pod, and hold no secret", () => {
    const documented = read("docs/guides/configuration.md");
    for (const { name } of container.env) expect(documented).toContain(`| \`${name}\``);
    expect(container.env.filter(({ value }) => value !== undefined)).toEqual([]);
    expect(container.env).toContainEqual({
      name: "TICKWHEEL_NODE_NAME",
      valueFrom: { fieldRef: { fieldPath: "metadata.name" } },
    });
    const secrets = container.env.filter(({ valueFrom }) => valueFrom?.["secretKeyRef"]);
    expect(secrets.map(({ name }) => name)).toEqual(["DATABASE_URL", "REDIS_URL", "TICKWHEEL_API_KEY"]);
  });
});
