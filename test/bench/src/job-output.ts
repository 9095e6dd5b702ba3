/** Where a job writes: its result, and how far it is. */
export interface JobOutput {
  print(text: string): void;
  progress(text: string): void;
}
