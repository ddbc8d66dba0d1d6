/** Names of parallel jobs: `rspec 1/3`, `deploy: [aws, app1]`. */
import { createHash } from 'node:crypto'
import type { PlannedVariable } from '../plan.ts'
import type { ConfiguredJob } from './config.types.ts'

const maxName_chars = 255

/** One name per instance, in order; the job's own name if it isn't parallel. */
export function instanceNames({ name, parallel }: Pick<ConfiguredJob, 'name' | 'parallel'>): string[] {
  if (!parallel) return [name]
  const { matrix, instances } = parallel
  return instances.map((variables, at) => (matrix ? matrixName(name, variables) : `${name} ${at + 1}/${instances.length}`))
}

/** If the name would be too long, it has a checksum of the values instead. */
function matrixName(name: string, variables: PlannedVariable[]): string {
  const values = variables.map(({ value }) => value).join(', ')
  const full = `${name}: [${values}]`
  if (full.length <= maxName_chars) return full
  return `${name.slice(0, maxName_chars - 41)} ${createHash('sha1').update(values).digest('hex')}`
}
