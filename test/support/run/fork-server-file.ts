/**
 * Replaces `src/git/process/fork-server-file.ts` in tests (`vitest.config.ts`): the program is compiled before all tests. Starting the
 * compiler in each worker took half a second of processor time.
 */
import { inject } from 'vitest'
import { flags } from '../../../src/git/process/fork-server-file.ts'

export function forkServerArguments(): string[] {
  return [...flags, inject('fork_server')]
}
