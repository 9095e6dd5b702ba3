import { join } from "node:path";
import ts from "typescript";
import { root } from "./project-files.js";

/** An object that Kubernetes keeps, as a manifest says it. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly spec: unknown;
}

/**
 * What Kubernetes' own types find wrong with manifests: a field that they do not know or that is missing, a value of
 * another type.
 *
 * @returns A line for each fault, as the compiler says it; empty where there is none.
 */
export function typeFaults(manifests: readonly Manifest[]): string[] {
  const file = join(root, "docs/kubernetes/manifests.ts");
  const source = manifests.map(typedLiteral).join("\n");
  const options: ts.CompilerOptions = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    types: [],
    lib: ["lib.es2022.d.ts"],
    module: ts.ModuleKind.NodeNext,
  };
  const host = ts.createCompilerHost(options);
  const fileExists = host.fileExists.bind(host);
  const getSourceFile = host.getSourceFile.bind(host);
  host.fileExists = (name) => name === file || fileExists(name);
  host.getSourceFile = (name, version) =>
    name === file ? ts.createSourceFile(name, source, version) : getSourceFile(name, version);
  return ts
    .getPreEmitDiagnostics(ts.createProgram([file], options, host))
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "; "));
}

/** A manifest as an object whose fields the compiler compares with those of its kind. */
function typedLiteral(manifest: Manifest, index: number): string {
  const { apiVersion, kind } = manifest;
  const group = apiVersion.includes("/") ? apiVersion.replace(".k8s.io/", "/") : `core/${apiVersion}`;
  return `import type { ${kind} as Kind${index} } from "kubernetes-types/${group}.js";
export const manifest${index}: Kind${index} = ${JSON.stringify(manifest)};`;
}
