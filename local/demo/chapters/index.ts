/** The story, in the order in which it is told. Each chapter stands on its own. */
import type { Chapter } from '../chapter.ts';
import type { World } from '../world.ts';
import { dynamic, preBound, race, smallestFit, staticBind } from './binding.ts';
import { brokenEdit, freed, sameName } from './coming-back.ts';
import { deletePolicy, recycle, retain } from './deleting.ts';

export const CHAPTERS: readonly Chapter<World>[] = [
  staticBind,
  smallestFit,
  preBound,
  dynamic,
  retain,
  deletePolicy,
  recycle,
  sameName,
  freed,
  race,
  brokenEdit,
];
