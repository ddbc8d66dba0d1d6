/** Counts what git clients fetch from projects, whoever they are; wikis are not counted. */
import type { Readable } from 'node:stream'
import type { App } from '../../app.ts'
import { countFetch } from '../../features/repository/fetches/fetches.ts'
import { onPackStart } from '../../git/wire/pack-start.ts'
import type { GitSession } from './access.ts'

/** Call it before the answer is read. */
export function countWhenSent(app: App, { project, wiki }: Pick<GitSession, 'project' | 'wiki'>, answer: Readable): void {
  if (project && !wiki) onPackStart(answer, () => countFetch(app, project.id))
}
