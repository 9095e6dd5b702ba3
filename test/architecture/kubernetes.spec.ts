import { readdirSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "@jest/globals";
import { DEFAULT_OPTIONS } from "@tickwheel/core";
import { loadAll } from "js-yaml";
import type { Deployment, DeploymentSpec } from "kubernetes-types/apps/v1.js";
import type { Container, Service } from "kubernetes-types/core/v1.js";
import type { PodDisruptionBudget } from "kubernetes-types/policy/v1.js";
import { type Manifest, typeFaults } from "./kubernetes-types.js";
import { read, root } from "./project-files.js";

const FOLDER = "docs/kubernetes";

const manifests = readdirSync(join(root, FOLDER))
  .filter((file) => file.endsWith(".yaml"))
  .flatMap((file) => loadAll(read(join(FOLDER, file))) as Manifest[]);

function specOf<T extends { spec?: unknown }>(kind: string): NonNullable<T["spec"]> {
  const found = manifests.filter((manifest) => manifest.kind === kind);
  expect(found).toHaveLength(1);
  return found[0]!.spec as NonNullable<T["spec"]>;
}

describe("the Kubernetes manifests", () => {
  let deployment: DeploymentSpec;
  let container: Container;

  beforeAll(() => {
    deployment = specOf<Deployment>("Deployment");
    container = deployment.template.spec!.containers[0]!;
  });

  test("the manifests are of the kinds and versions that Kubernetes serves", () => {
    expect(manifests.map(({ apiVersion, kind }) => `${apiVersion} ${kind}`)).toEqual([
      "apps/v1 Deployment",
      "v1 Service",
      "policy/v1 PodDisruptionBudget",
    ]);
  });

  test("the manifests have no field that Kubernetes does not know, and lack none that it needs", () => {
    expect(typeFaults(manifests)).toEqual([]);
  });

  test("the Deployment of the guide to Nest has no field that Kubernetes does not know, and lacks none that it needs", () => {
    const guide = read("docs/guides/nest.md");
    const [, text] = /```yaml\n# deployment\.yaml\n([^]*?)```/.exec(guide)!;
    expect(typeFaults(loadAll(text!) as Manifest[])).toEqual([]);
  });

  test("a misspelled field, a text in place of a number, and a missing field of a manifest are found", () => {
    const [{ apiVersion, kind }] = manifests as [Manifest];
    const selector = { matchLabels: { app: "tickwheel" } };
    const template = { spec: { containers: [{ name: "node", ports: [{ containerPort: "3000" }] }] } };
    const faults = typeFaults([
      { apiVersion, kind, spec: { selector, template: {}, replica: 3 } },
      { apiVersion, kind, spec: { selector, template } },
      { apiVersion, kind, spec: { selector } },
    ]);
    expect(faults).toEqual([
      expect.stringContaining("\"replica\"' does not exist in type 'DeploymentSpec'"),
      expect.stringContaining("Type 'string' is not assignable to type 'number'"),
      expect.stringContaining("Property 'template' is missing"),
    ]);
  });

  test("all manifests choose the same pods", () => {
    const labels = deployment.template.metadata!.labels;
    expect(deployment.selector.matchLabels).toEqual(labels);
    expect(specOf<Service>("Service").selector).toEqual(labels);
    expect(specOf<PodDisruptionBudget>("PodDisruptionBudget").selector).toEqual({ matchLabels: labels });
  });

  test("updates and drained machines take one node away at a time", () => {
    expect(deployment.replicas).toBeGreaterThan(1);
    expect(deployment.strategy).toEqual({ type: "RollingUpdate", rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } });
    expect(specOf<PodDisruptionBudget>("PodDisruptionBudget")).toMatchObject({ maxUnavailable: 1 });
  });

  test("the manifests agree with the node's port, its routes and its times", () => {
    const { ports, livenessProbe, readinessProbe } = container;
    expect(ports).toEqual([{ name: "http", containerPort: 3000 }]);
    expect(read("apps/scheduler/Dockerfile")).toContain("EXPOSE 3000");
    expect(specOf<Service>("Service")).toMatchObject({ ports: [{ name: "http", port: 80, targetPort: "http" }] });
    expect(livenessProbe!.httpGet).toEqual({ path: "/health/live", port: "http" });
    expect(readinessProbe!.httpGet).toEqual({ path: "/health/ready", port: "http" });
    expect(livenessProbe!.periodSeconds! * livenessProbe!.failureThreshold! * 1_000).toBe(
      DEFAULT_OPTIONS.loopBlockedFenceMs,
    );
    const graceMs = deployment.template.spec!.terminationGracePeriodSeconds! * 1_000;
    expect(graceMs).toBeGreaterThan(DEFAULT_OPTIONS.drainTimeoutMs);
  });

  test("the Deployment sets variables that the node reads, names the node by its pod, and holds no secret", () => {
    const documented = read("docs/guides/configuration.md");
    for (const { name } of container.env!) expect(documented).toContain(`| \`${name}\``);
    expect(container.env!.filter(({ value }) => value !== undefined)).toEqual([]);
    expect(container.env).toContainEqual({
      name: "TICKWHEEL_NODE_NAME",
      valueFrom: { fieldRef: { fieldPath: "metadata.name" } },
    });
    const secrets = container.env!.filter(({ valueFrom }) => valueFrom?.secretKeyRef);
    expect(secrets.map(({ name }) => name)).toEqual(["DATABASE_URL", "REDIS_URL", "TICKWHEEL_API_KEY"]);
  });
});
