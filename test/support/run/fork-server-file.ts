/**
 * In the tests it stands for `src/git/process/fork-server-file.ts` (`vitest.config.ts`): the program is compiled before all tests. To start
 * the compiler took each worker half a second of processor.
 */
import { inject } from 'vitest'
import { flags } from '../../../src/git/process/fork-server-file.ts'

export function forkServerArguments(): string[] {
  return [...flags, inject('fork_server')]
}
