/**
 * `npm run cost`: writes docs/cost.md. `--print` shows it instead; `--check` fails when the page is not what it would write.
 * The benches write docs/measured.json, from which it is computed: each figure there names its command.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { readMeasured } from './cost/measured.ts';
import { Costs } from './cost/model.ts';
import { costPage } from './cost/page.ts';
import { readPrices } from './cost/prices.ts';
import { readStack } from './cost/stack.ts';
import { Work } from './cost/work.ts';

const PAGE = new URL('../docs/cost.md', import.meta.url);

const prices = readPrices();
const stack = readStack();
const page = costPage(new Costs(stack, prices), new Work(stack, prices, readMeasured()), prices);
const [option, ...rest] = process.argv.slice(2);
if (rest.length > 0 || (option !== undefined && option !== '--check' && option !== '--print')) {
  console.error(`unknown: ${[option, ...rest].join(' ')}. Use no option (write docs/cost.md), --print or --check.`);
  process.exitCode = 2;
} else if (option === '--print') {
  process.stdout.write(page);
} else if (option === undefined) {
  writeFileSync(PAGE, page);
  console.log('docs/cost.md is written');
} else if (readFileSync(PAGE, 'utf8') === page) {
  console.log('docs/cost.md is fresh');
} else {
  console.error(
    'docs/cost.md is not what the prices, the measured figures and the code give: run `npm run cost` and commit the page.',
  );
  process.exitCode = 1;
}
