/** The commit a path names within a project. */
import type { ProjectGranted } from '../../../http/rules.ts'
import { nameInPath } from '../../../http/schema.ts'
import { nested } from '../../../http/within.ts'
import { commitNamed } from './commits.service.ts'

/** The commit in `:sha`, as its id. */
export const commit = nested({ sha: nameInPath('Commit, branch or tag') }, async ({ repo }: ProjectGranted, { sha }) => ({
  commit: await commitNamed(repo, sha),
}))
