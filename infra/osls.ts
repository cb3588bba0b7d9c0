/** osls, which packages and deploys serverless.yml (docs/decisions/014-libraries.md). */
import { fileURLToPath } from 'node:url';

/** Its program, for Node. */
export const OSLS = fileURLToPath(import.meta.resolve('osls/bin/serverless.js'));
