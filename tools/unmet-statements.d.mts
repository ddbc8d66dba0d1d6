import type { RecordedTest } from '../test/support/run/statements.ts'

export function unmet(
  tests: Array<Pick<RecordedTest, 'engine' | 'file' | 'name' | 'in_full_run' | 'statements'>>,
): Array<{ hash: string; test: string }>

export function unmetIn(record: string): string[]
