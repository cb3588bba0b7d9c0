/**
 * `npm run docs:images`: docs/images, the page of `doctor` light and dark, wide and narrow. Needs a Chromium. Its version
 * and the machine's fonts show in the pictures, so no test compares them.
 */
import { writeFileSync } from 'node:fs';
import { reportHtml } from '../../lib/doctor/html.ts';
import { Chromium, findChromium, NoChromiumError, type View } from './chromium.ts';
import { sampleReport } from './doctor-sample.ts';

const FOLDER = new URL('../../docs/images/', import.meta.url);

const VIEWS: Readonly<Record<string, View>> = {
  'doctor-light.png': { width: 1_280, height: 1_250, scheme: 'light' },
  'doctor-dark.png': { width: 1_280, height: 1_250, scheme: 'dark' },
  'doctor-light-narrow.png': { width: 400, height: 1_250, scheme: 'light' },
  'doctor-dark-narrow.png': { width: 400, height: 1_250, scheme: 'dark' },
};

/** @throws NoChromiumError */
async function writeImages(): Promise<void> {
  const chromium = await Chromium.start(findChromium(process.env));
  try {
    // The first finding is shown with its commands, as after a click.
    const page = reportHtml(await sampleReport()).replace('<details>', '<details open>');
    for (const [name, view] of Object.entries(VIEWS)) {
      writeFileSync(new URL(name, FOLDER), await chromium.shoot(page, view));
      console.log(`docs/images/${name} written`);
    }
  } finally {
    await chromium.stop();
  }
}

const options = process.argv.slice(2);
if (options.length > 0) {
  console.error(`unknown: ${options.join(' ')}. Use no option.`);
  process.exitCode = 2;
} else {
  await writeImages().catch((error: unknown) => {
    if (!(error instanceof NoChromiumError)) throw error;
    console.error(error.message);
    process.exitCode = 2;
  });
}
