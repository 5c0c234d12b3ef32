export async function answer(text: string): Promise<string> {
  return `done: ${text}`;
}
