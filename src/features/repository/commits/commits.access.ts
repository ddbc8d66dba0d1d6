/** The commit a path names within a project. */
import { Type } from 'typebox'
import type { ProjectGranted } from '../../../http/rules.ts'
import { nested } from '../../../http/within.ts'
import { commitNamed } from './commits.service.ts'

/** The commit in `:sha`, as its id. */
export const commit = nested({ sha: Type.String({ description: 'Commit, branch or tag' }) }, async ({ repo }: ProjectGranted, { sha }) => ({
  commit: await commitNamed(repo, sha),
}))
