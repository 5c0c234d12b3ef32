import { relative } from 'node:path';
import type { Settings } from './settings.js';
import type { StartedServer } from './start.js';

/** What a person reads when the server is up: where everything is, and a command that works as pasted. */
export function greeting(server: StartedServer, settings: Settings): string {
  const [first = '', ...others] = server.agents;
  const rows: [string, string][] = [
    ['API', server.url],
    ...(server.grpcAddress === undefined ? [] : [['gRPC', server.grpcAddress] satisfies [string, string]]),
    ['Agent card', `${server.url}/.well-known/agent-card.json`],
    ['Agents', [`${first} (at the root)`, ...others.map((code) => `${code} (/agents/${code})`)].join(', ')],
    [
      'Temporal',
      server.temporalUiUrl
        ? `${server.temporalAddress}, web ${server.temporalUiUrl}`
        : server.temporalAddress,
    ],
    ['Data, logs', shown(settings.data.path)],
  ];
  return [
    '',
    'Ready.',
    ...rows.map(([name, value]) => `  ${name.padEnd(11)} ${value}`),
    '',
    'Try it:',
    `  ${curl(server.url)}`,
    '',
    'Ctrl-C stops it; the next start goes on with what is here.',
  ].join('\n');
}

/** As one would type it here. */
function shown(path: string): string {
  const inside = relative(process.cwd(), path);
  return inside.startsWith('..') ? path : inside || '.';
}

function curl(url: string): string {
  const request = {
    jsonrpc: '2.0',
    id: 1,
    method: 'SendMessage',
    params: { message: { messageId: 'first', role: 'ROLE_USER', parts: [{ text: 'Hello' }] } },
  };
  return `curl -s ${url}/ -H 'Content-Type: application/json' -d '${JSON.stringify(request)}'`;
}
