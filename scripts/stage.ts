/** `npm run config -- --stage STAGE`: checks a stage file and prints it with its defaults, as YAML. */
import * as YAML from 'yaml';
import { stageOrExit } from './stage-options.ts';

const HELP = `Usage: npm run config -- --stage STAGE

Checks config/STAGE.yml and prints it with all defaults. Nothing is deployed, and no account is needed.
docs/settings.md says what each field does.

Ends with 0 when the file is right, with 1 when it is not, with 2 when called the wrong way.
`;

/** Of long values, as certificates are. */
const SHOWN_LETTERS = 60;

const { config } = stageOrExit(process.argv.slice(2), { help: HELP });
const shown = JSON.parse(JSON.stringify(config), (_key, value: unknown) =>
  typeof value === 'string' && value.length > 2 * SHOWN_LETTERS ? `${value.slice(0, SHOWN_LETTERS)}…` : value,
) as object;
process.stdout.write(YAML.stringify(shown));
