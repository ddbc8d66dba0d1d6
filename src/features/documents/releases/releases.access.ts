/** The release that a path names by its tag. */
import type { ProjectGranted } from '../../../http/declare/rules.ts'
import { nested } from '../../../http/declare/within.ts'
import { nameInPath } from '../../../http/parameters/schema.ts'
import { requireRelease } from './releases.service.ts'

/** Throws 404 if the tag has no release. */
export const release = nested({ tag_name: nameInPath('Name of the tag') }, async ({ project }: ProjectGranted, { tag_name }, app) => ({
  release: await requireRelease(app.db, project.id, tag_name),
}))
