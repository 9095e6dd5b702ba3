/** How many tasks of one type came to what. */
export class OutcomeCounts {
  created = 0;
  failed = 0;
  dead = 0;
  succeeded = 0;
  skipped = 0;
  cancelled = 0;

  addOutcomes(other: OutcomeCounts): void {
    this.created += other.created;
    this.failed += other.failed;
    this.dead += other.dead;
    this.succeeded += other.succeeded;
    this.skipped += other.skipped;
    this.cancelled += other.cancelled;
  }
}
