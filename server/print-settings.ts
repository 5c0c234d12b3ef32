import { settingsTable } from './settings-table.js';

// `npm run docs:settings`: writes the page that test/server/settings.test.ts holds in step with the code.
console.log(`# Settings

The server reads these environment variables when it starts, and refuses to start when one is wrong. An empty
variable counts as unset. Durations are written as \`500ms\`, \`15s\`, \`10m\`, \`24h\` or \`30d\`, sizes as \`65536\`,
\`512KiB\` or \`10MiB\`, flags as \`true\` or \`false\`. Secrets are never logged or printed.

This page is made from \`server/settings-table.ts\` by \`npm run docs:settings\`.

${settingsTable()}`);
