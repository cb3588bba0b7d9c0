/** `npm run deploy` and `npm run remove`: the stage file is checked first, so that nothing half-right is sent to AWS. */
import { buildAll } from './build.ts';
import { runOsls } from './osls.ts';
import { stageOrExit } from './stage-options.ts';

const HELP = `Usage: npm run deploy -- --stage STAGE [OPTIONS OF OSLS]
       npm run remove -- --stage STAGE [OPTIONS OF OSLS]

deploy checks config/STAGE.yml, builds the functions, and creates or updates the stack serverless-pv-controller-STAGE in
the account that your credentials are for (environment variables, or --aws-profile NAME).
remove deletes that stack with all that it holds: messages, logs, roles, access entries. A customer’s key stays, unusable,
for a week. docs/upgrade.md says what is left in the cluster.

Ends with 0, with what osls ended with, with 1 when the file is not right, or with 2 when called the wrong way.
`;

// Only as `npm run remove` says it, in the first place: a stage or a profile may be called `remove` too.
const isRemoval = process.argv[2] === 'remove';
const argv = process.argv.slice(isRemoval ? 3 : 2);
const { stage, rest } = stageOrExit(argv, { help: HELP, passesOn: true });
const region = rest.find((argument) => /^(-r|--region)(=|$)/.test(argument));
if (region !== undefined) {
  console.error(`${region}: the region is the one of config/${stage}.yml: change it there`);
  process.exit(2);
}
if (!isRemoval) await buildAll();
process.exitCode = await runOsls([isRemoval ? 'remove' : 'deploy', '--stage', stage, ...rest]);
