/** Rules of releases: each has a tag, which is created with it if necessary. */
import { canPush } from '../../../access/find.ts'
import type { App } from '../../../app.ts'
import { type Db, inTransaction, isUniqueViolation, type Tx } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import { publish } from '../../../domain-events/domain-events.ts'
import { Failure, forbidden, invalid, missing } from '../../../failure.ts'
import { findRef } from '../../../git/refs/refs.ts'
import { assertValid, lengthError } from '../../../validation.ts'
import { findMilestonesTitled } from '../../planning/milestones/milestones.ts'
import { mayCreateTag, protectionOf } from '../../repository/protected-refs/protected-refs.ts'
import type { Pusher } from '../../repository/pushes/pushes.ts'
import { createTag, deleteRelease, insertRelease } from '../../repository/tags/tags.ts'
import { collectEvidenceIn } from './evidences.service.ts'
import { addLinks, controlError, readLinks } from './links.service.ts'
import { type AuthoredRelease, findRelease, replaceMilestones, updateRelease } from './releases.queries.ts'
import { maxMilestones, type NewRelease, type ReleaseChange } from './releases.schema.ts'

const longestName = 255
const longestDescription = 1_000_000

/** Throws 404 if the tag has no release. */
export async function requireRelease(db: Db, projectId: number, tagName: string): Promise<AuthoredRelease> {
  // PostgreSQL rejects text with a NUL.
  const release = tagName.includes('\0') ? null : await findRelease(db, projectId, tagName)
  if (!release) throw missing()
  return release
}

/**
 * Creates a release and, if necessary, its tag from `ref`: both or none. Throws 409 if the tag already has a release, 422 for a missing tag
 * without `ref`, 403 for a protected tag, 400 for invalid values.
 */
export async function createRelease(app: App, pusher: Pusher, request: NewRelease): Promise<AuthoredRelease> {
  const { tag_name, ref, tag_message } = request
  const { id } = pusher.project
  await assertMayRelease(app, pusher, tag_name)
  assertRelease(request)
  const links = readLinks(request.assets?.links ?? [])
  await requireMilestones(app.db, pusher, request.milestones)
  if (await findRelease(app.db, id, tag_name)) throw alreadyExists()
  const insert = (tx: Tx) => insertWithLinks(tx, pusher, request, links)
  const hasTag = async () => (await findRef(app.git.open(id), 'tags', tag_name)) !== null
  try {
    if (await hasTag()) await inTransaction(app.db, insert)
    else if (!ref) throw new Failure('unprocessable', 'Ref is not specified')
    else await createTag(app, pusher, { tag_name, ref, message: tag_message }, insert)
  } catch (error) {
    if (isUniqueViolation(error, 'releases')) throw alreadyExists(error)
    if (!(error instanceof Failure && error.code === 'method_not_allowed')) throw error
    // Another request may have created the tag meanwhile, and may be about to create the release.
    throw (await hasTag()) ? new Failure('conflict', error.message, { cause: error }) : invalid(error.message, error)
  }
  return requireRelease(app.db, id, tag_name)
}

function alreadyExists(cause?: unknown): Failure {
  return new Failure('conflict', 'Release already exists', { cause })
}

async function insertWithLinks(tx: Tx, pusher: Pusher, request: NewRelease, links: ReturnType<typeof readLinks>): Promise<void> {
  const { project, user } = pusher
  const { tag_name, name, description = '', released_at } = request
  const row = { project_id: project.id, tag_name, name: nameOf(name), description, author_id: user.id, released_at }
  const release = await insertRelease(tx, row)
  // Lists have the newest first; of those sent together, the last counts as the newest.
  if (links.length > 0) await addLinks(tx, release, links)
  await replaceMilestones(tx, release.id, await requireMilestones(tx, pusher, request.milestones))
  // Evidence of an upcoming release would record a state in which it was never published.
  if (release.released_at <= now()) await collectEvidenceIn(tx, release)
  await publish(tx, { type: 'release_created', release, actor_id: user.id })
}

/** Null for the name of the tag. */
function nameOf(name: string | undefined): string | null {
  return name?.trim() || null
}

/** Throws 400 for invalid values, and if nothing is to be changed. */
export async function changeRelease(app: App, pusher: Pusher, release: AuthoredRelease, change: ReleaseChange): Promise<AuthoredRelease> {
  const { name, description, released_at, milestones } = change
  await assertMayRelease(app, pusher, release.tag_name)
  if ([name, description, released_at, milestones].every((value) => value === undefined)) throw invalid('params is empty')
  assertRelease(change)
  await inTransaction(app.db, async (tx) => {
    const changed = await updateRelease(tx, release.id, {
      ...(name !== undefined && { name: nameOf(name) }),
      ...(description !== undefined && { description }),
      ...(released_at !== undefined && { released_at }),
    })
    if (changed && milestones) await replaceMilestones(tx, release.id, await requireMilestones(tx, pusher, milestones))
    if (changed) await publish(tx, { type: 'release_changed', release: changed, actor_id: pusher.user.id })
  })
  return requireRelease(app.db, release.project_id, release.tag_name)
}

/** The tag is kept. */
export async function removeRelease(app: App, pusher: Pusher, release: AuthoredRelease): Promise<void> {
  await assertMayRelease(app, pusher, release.tag_name)
  const { author: _, ...row } = release
  await inTransaction(app.db, async (tx) => {
    await publish(tx, { type: 'release_removed', release: row, actor_id: pusher.user.id })
    await deleteRelease(tx, release.project_id, release.tag_name)
  })
}

/** Users who may create a tag of this name may release it. Throws 403. */
export async function assertMayRelease(app: App, { project, level }: Pusher, tagName: string): Promise<void> {
  if (!canPush({ project, level })) throw forbidden()
  if (mayCreateTag(await protectionOf(app.db, project.id), level, tagName)) return
  throw new Failure('forbidden', 'You are not allowed to create this tag as it is protected.')
}

/** The ids of the milestones with these titles. Throws 400 naming unknown titles. */
async function requireMilestones(db: Db, { project }: Pusher, titles: string[] = []): Promise<number[]> {
  if (titles.length > maxMilestones) throw invalid(`Milestones: at most ${maxMilestones}`)
  const found = await findMilestonesTitled(db, project, titles)
  const missing = titles.filter((title) => !found.has(title))
  if (missing.length > 0) throw invalid(`Milestone(s) not found: ${missing.join(', ')}`)
  return [...found.values()].map(({ id }) => id)
}

function assertRelease({ name = '', description }: ReleaseChange): void {
  assertValid({
    name: controlError(name) ?? lengthError(name, longestName),
    description: lengthError(description, longestDescription),
  })
}
