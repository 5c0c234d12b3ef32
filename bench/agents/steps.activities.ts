/** One step's work: none, so that the history is all that is measured. */
export async function work(step: number): Promise<number> {
  return step + 1;
}
