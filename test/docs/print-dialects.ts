import { dialectsPage } from './dialects.js';

// `npm run docs:dialects`: writes the page that dialects.test.ts holds in step with the server.
process.stdout.write(await dialectsPage());
