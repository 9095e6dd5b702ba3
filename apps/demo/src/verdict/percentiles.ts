/** The value below or at which a share of the numbers lies, by nearest rank; null of none. */
export function percentile(numbers: readonly number[], share: number): number | null {
  if (numbers.length === 0) return null;
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)]!;
}

/** The largest number; null of none. */
export function largest(numbers: readonly number[]): number | null {
  return percentile(numbers, 1);
}
