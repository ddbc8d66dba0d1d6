/** Rules of tags and releases. */
import { mayUse } from '../../../access/features.ts'
import { canPush } from '../../../access/find.ts'
import type { App } from '../../../app.ts'
import { inTransaction, isUniqueViolation, type Tx } from '../../../db/database.ts'
import { publish } from '../../../domain-events/domain-events.ts'
import { Failure, forbidden, notFound, plainWords } from '../../../failure.ts'
import { noObject } from '../../../git/objects/object-id.ts'
import { isTagName } from '../../../git/refs/names.ts'
import { findRef, type Ref } from '../../../git/refs/refs.ts'
import { resolveCommit } from '../../../git/refs/resolve.ts'
import { showingMergeRequests } from '../../../git/repository/handles.ts'
import { writeTag } from '../../../git/write/tag-object.ts'
import { assertValid, blankError } from '../../../validation.ts'
import { changeRefs, type Pusher } from '../pushes/pushes.ts'
import { deleteRelease, insertRelease, type NewRelease, releasesOf, updateRelease } from './tags.queries.ts'

export interface TagRequest {
  tag_name: string
  /** A branch, a tag or a commit. */
  ref: string
  message?: string | undefined
}

/** The tag with this name. Throws 404 with `refusal`. */
export async function tagAt(app: App, projectId: number, name: string, refusal = notFound('Tag')): Promise<Ref> {
  const tag = await findRef(app.git.open(projectId), 'tags', name)
  if (!tag) throw refusal
  return tag
}

/**
 * Creates a tag, annotated if there is a message. `also` writes rows that exist only if the tag does. Throws `method_not_allowed` with the
 * reason if it can't.
 */
export async function createTag(
  app: App,
  pusher: Pusher,
  { tag_name, ref, message = '' }: TagRequest,
  also?: (tx: Tx) => Promise<void>,
): Promise<Ref> {
  assertCanPush(pusher)
  const repo = showingMergeRequests(app.git.open(pusher.project.id), mayUse('merge_requests', pusher))
  if (!isTagName(tag_name)) throw refused('Tag name invalid')
  if (await findRef(repo, 'tags', tag_name)) throw refused(`Tag ${tag_name} already exists`)
  const commit = await resolveCommit(repo, ref)
  if (!commit) throw refused(`Target ${ref} is invalid`)
  const text = message.trim()
  const after = text === '' ? commit : await writeTag(repo, { name: tag_name, commit, tagger: pusher.user, message: text })
  try {
    await changeRefs(app, pusher, [{ ref: `refs/tags/${tag_name}`, before: noObject, after }], { also })
  } catch (error) {
    throw await reasonOf(app, pusher, tag_name, error)
  }
  return tagAt(app, pusher.project.id, tag_name)
}

/** As `createTag`, with a release if there is a description. */
export function createDescribedTag(app: App, pusher: Pusher, request: TagRequest, description = ''): Promise<Ref> {
  const { project, user } = pusher
  const release = { project_id: project.id, tag_name: request.tag_name, description, author_id: user.id }
  return createTag(app, pusher, request, description.trim() === '' ? undefined : (tx) => replaceRelease(tx, release, user.id))
}

/** Changes that push rules deny, and a tag created by a concurrent request, are reported like all other reasons. */
async function reasonOf(app: App, { project }: Pusher, name: string, error: unknown): Promise<unknown> {
  if (!(error instanceof Failure)) return error
  if (error.code === 'ref_denied' || error.code === 'forbidden') return refused(plainWords(error).replace(/^Forbidden - /, ''), error)
  if (error.code !== 'ref_moved') return error
  const there = await findRef(app.git.open(project.id), 'tags', name)
  return refused(there ? `Tag ${name} already exists` : `Tag ${name} cannot stand beside another one`, error)
}

function refused(reason: string, cause?: unknown): Failure {
  return new Failure('method_not_allowed', reason, { cause })
}

function assertCanPush({ project, level }: Pusher): void {
  if (!canPush({ project, level })) throw forbidden()
}

/** A tag that was deleted by git may have left its release behind. */
async function replaceRelease(tx: Tx, release: NewRelease, actor_id: number): Promise<void> {
  await deleteRelease(tx, release.project_id, release.tag_name)
  await publish(tx, { type: 'release_created', release: await insertRelease(tx, release), actor_id })
}

/** Deletes the tag and its release. */
export async function deleteTag(app: App, pusher: Pusher, { name, oid }: Ref): Promise<void> {
  assertCanPush(pusher)
  const change = { ref: `refs/tags/${name}`, before: oid, after: noObject }
  const { id: project_id } = pusher.project
  await changeRefs(app, pusher, [change], {
    async also(tx) {
      const release = (await releasesOf(tx, project_id, [name])).get(name)
      if (!release) return
      await publish(tx, { type: 'release_removed', release, actor_id: pusher.user.id })
      await deleteRelease(tx, project_id, name)
    },
  })
}

/** Throws 409 if the tag already has a release, 404 if there is no such tag. */
export async function createRelease(app: App, pusher: Pusher, tagName: string, description: string): Promise<void> {
  const { id: project_id } = await mayDescribe(app, pusher, tagName, description)
  try {
    const row = { project_id, tag_name: tagName, description, author_id: pusher.user.id }
    await inTransaction(app.db, async (tx) => {
      await publish(tx, { type: 'release_created', release: await insertRelease(tx, row), actor_id: pusher.user.id })
    })
  } catch (error) {
    throw isUniqueViolation(error) ? new Failure('conflict', 'Release already exists', { cause: error }) : error
  }
}

/** Throws 404 if the tag has no release, or doesn't exist. */
export async function changeRelease(app: App, pusher: Pusher, tagName: string, description: string): Promise<void> {
  const { id } = await mayDescribe(app, pusher, tagName, description)
  await inTransaction(app.db, async (tx) => {
    const release = await updateRelease(tx, id, tagName, description)
    if (!release) throw new Failure('not_found', 'Release does not exist')
    await publish(tx, { type: 'release_changed', release, actor_id: pusher.user.id })
  })
}

async function mayDescribe(app: App, pusher: Pusher, tagName: string, description: string): Promise<Pusher['project']> {
  assertCanPush(pusher)
  await tagAt(app, pusher.project.id, tagName, new Failure('not_found', 'Tag does not exist'))
  assertValid({ description: blankError(description) })
  return pusher.project
}
