import { parseArgs } from 'node:util';
import { createKey, listKeys, revokeKey } from './commands.js';
import type { KeyEntry } from './file.js';

export const KEY_HELP = `  a2a-temporal key create --owner OWNER [--name NAME] [--tenant TENANT]... [--expires WHEN]
  a2a-temporal key list
  a2a-temporal key revoke NAME                      manage the callers' API keys (--file FILE; default:
                                                    API_KEYS_FILE, else api-keys.json)`;

const DAY = 86_400_000;

export interface Printed {
  /** What a script wants: a new key and nothing else, or the list. */
  lines: string[];
  /** What a person wants to know beside it. */
  notes?: string[];
}

/** `a2a-temporal key …` */
export async function runKeyCommand(args: string[], env: NodeJS.ProcessEnv): Promise<Printed> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      file: { type: 'string' },
      owner: { type: 'string' },
      name: { type: 'string' },
      tenant: { type: 'string', multiple: true },
      expires: { type: 'string' },
    },
  });
  const [action, name, ...more] = positionals;
  if (more.length > 0 || (name !== undefined && action !== 'revoke')) {
    throw new Error(`'${more[0] ?? name}' is one word too many; see a2a-temporal --help`);
  }
  const file = values.file ?? (env['API_KEYS_FILE'] || 'api-keys.json');
  switch (action) {
    case 'create': {
      if (!values.owner) throw new Error('key create: --owner says to whom the tasks belong');
      const { key, entry } = await createKey(file, {
        owner: values.owner,
        name: values.name,
        tenants: values.tenant,
        expires: values.expires === undefined ? undefined : timeOf(values.expires),
      });
      const notes = [
        `The key '${entry.name}' of '${entry.owner}' is in ${file}, as a hash: this is the only time that it is shown.`,
        `Callers send it as Authorization: Bearer KEY; the server takes it with API_KEYS_FILE=${file}.`,
      ];
      return { lines: [key], notes };
    }
    case 'list':
      return { lines: (await listKeys(file)).map(described) };
    case 'revoke':
      if (name === undefined) throw new Error('key revoke: which one? a2a-temporal key list shows them');
      await revokeKey(file, name);
      return { lines: [], notes: [`The key '${name}' is no longer in ${file}.`] };
    default:
      throw new Error('key: expected create, list or revoke; see a2a-temporal --help');
  }
}

function described({ name, owner, tenants, expires }: KeyEntry): string {
  const facts = [name, `owner ${owner}`];
  if (tenants !== undefined) facts.push(`tenants ${tenants.map((tenant) => tenant || "''").join(', ')}`);
  if (expires !== undefined) facts.push(`expires ${expires}`);
  return facts.join('  ');
}

/** A date, or days from now such as `90d`. */
function timeOf(text: string): number {
  const [, days] = /^(\d{1,5})d$/.exec(text) ?? [];
  const time = days === undefined ? Date.parse(text) : Date.now() + Number(days) * DAY;
  if (Number.isNaN(time)) throw new Error(`--expires ${text}: expected a date such as 2027-01-31, or 90d`);
  if (time <= Date.now()) throw new Error(`--expires ${text} has passed`);
  return time;
}
