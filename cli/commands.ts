/** All subcommands. Their modules are light: what reads a cluster is loaded when it is needed. */
import type { Command } from './command.ts';
import { completionOf } from './completion.ts';
import { command as doctor } from './doctor.ts';
import { command as explain } from './explain.ts';

const diagnosing: readonly Command[] = [explain, doctor];

export const COMMANDS: readonly Command[] = [...diagnosing, completionOf(diagnosing)];
