import { createHash } from 'node:crypto';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ConformanceOptions } from './agent.js';

const here = (name: string) => JSON.stringify(fileURLToPath(new URL(name, import.meta.url)));

/**
 * The test agent with its options as a folder of agents: what a server loads and a worker bundles. The same
 * options give the same folder, so that its bundle is made once.
 */
export async function conformanceAgentsFolder(options: ConformanceOptions): Promise<string> {
  const files = {
    'conformance.mts':
      `import { conformanceAgent } from ${here('./agent.ts')};\n` +
      `export default conformanceAgent(${JSON.stringify(options)});\n`,
    'conformance.activities.mts': `export * from ${here('./activities.ts')};\n`,
  };
  const digest = createHash('sha256').update(JSON.stringify(files)).digest('hex').slice(0, 12);
  const folder = join(tmpdir(), `a2a-temporal-conformance-${digest}`);
  await mkdir(folder, { recursive: true });
  for (const [name, text] of Object.entries(files)) {
    // Whole at once: another process may be reading it.
    const draft = join(folder, `.${name}.${process.pid}`);
    await writeFile(draft, text);
    await rename(draft, join(folder, name));
  }
  return folder;
}
