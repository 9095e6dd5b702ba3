import type { TypeId } from "@tickwheel/core";

/**
 * One type of one namespace is served, unless `counts` tells of more; `limits` are those that types have of their own.
 */
export function servedTypes(limits: Record<TypeId, number> = {}, counts: { types?: number; namespaces?: number } = {}) {
  return {
    count: () => counts.types ?? 1,
    limitOf: (typeId: TypeId): number | undefined => limits[typeId],
    isPaused: (): boolean => false,
    isLimited: (): boolean => false,
    namespaceOf: (typeId: TypeId): string | undefined => `namespace-${Math.floor(typeId / 10)}`,
    namespaceCount: () => counts.namespaces ?? 1,
  };
}
