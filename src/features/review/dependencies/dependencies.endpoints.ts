/** Merge requests that are merged after others (newer than the API of spec 4.3). */
import { type Static, Type } from 'typebox'
import type { App } from '../../../app.ts'
import type { MergeRequestBlock, User } from '../../../db/tables.ts'
import { missing } from '../../../failure.ts'
import { endpoint, listEndpoint, type Signature } from '../../../http/declare/endpoint.ts'
import { allowed, only, project, unarchived } from '../../../http/declare/rules.ts'
import { nested, within } from '../../../http/declare/within.ts'
import { Id, none, resource } from '../../../http/parameters/schema.ts'
import { MergeRequestSimple } from '../merge-requests/merge-requests.schema.ts'
import { type MergeRequestGranted, mergeRequestInPath, presentMergeRequestsSimply } from '../merge-requests/merge-requests.ts'
import { blockOf, blocksAt, deleteBlock, type End, visibleAmong } from './dependencies.queries.ts'
import { addBlock } from './dependencies.service.ts'

const Block = resource('MergeRequestBlock', {
  id: Type.Integer(),
  project_id: Type.Integer({ description: 'The project of the merge request in the path' }),
  blocking_merge_request: Type.Optional(MergeRequestSimple),
  blocked_merge_request: Type.Optional(MergeRequestSimple),
})

const request = within(project('signed-in'), mergeRequestInPath)
const managed = unarchived(only(request, allowed('manage_merge_requests')))
const block = nested({ block_id: Id }, async ({ merge_request }: MergeRequestGranted, { block_id }, app) => {
  const found = await blockOf(app.db, merge_request.id, block_id)
  if (!found) throw missing()
  return { block: found }
})

/** Merge requests that the caller can't see are left out of their block, which is shown nevertheless. Two statements. */
async function present(
  app: App,
  user: User,
  project_id: number,
  blocks: readonly MergeRequestBlock[],
): Promise<Array<Static<typeof Block>>> {
  const ids = blocks.flatMap((one) => [one.blocking_merge_request_id, one.blocked_merge_request_id])
  const seen = await visibleAmong(app.db, user, [...new Set(ids)])
  const shown = new Map((await presentMergeRequestsSimply(app, [...seen.values()])).map((one) => [one.id, one]))
  return blocks.map(({ id, blocking_merge_request_id, blocked_merge_request_id }) => {
    const blocking_merge_request = shown.get(blocking_merge_request_id)
    const blocked_merge_request = shown.get(blocked_merge_request_id)
    return Object.assign(
      { id, project_id },
      blocking_merge_request && { blocking_merge_request },
      blocked_merge_request && { blocked_merge_request },
    )
  })
}

/** The blocks at whose one end the merge request in the path is. */
function listOf(signature: Signature, summary: string, end: End) {
  return listEndpoint(signature, {
    summary,
    access: request,
    item: Block,
    async handle({ app, user, project, merge_request, page }) {
      const { rows, total } = await blocksAt(app.db, end, merge_request.id, page)
      return { rows: await present(app, user, project.id, rows), total }
    },
  })
}

export const dependencies = [
  listOf(
    'GET /projects/:id/merge_requests/:merge_request_iid/blocks',
    'List the merge requests that are merged before a merge request',
    'blocked_merge_request_id',
  ),
  listOf(
    'GET /projects/:id/merge_requests/:merge_request_iid/blockees',
    'List the merge requests that are merged after a merge request',
    'blocking_merge_request_id',
  ),
  endpoint('POST /projects/:id/merge_requests/:merge_request_iid/blocks', {
    summary: 'Let a merge request wait until another is merged',
    access: managed,
    body: { blocking_merge_request_id: { ...Id, description: 'The id of the other, which may be of another project' } },
    reply: Block,
    fails: ['conflict', 'unprocessable'],
    async handle({ app, user, project, merge_request, body }) {
      const added = await addBlock(app, user, merge_request, body.blocking_merge_request_id)
      const [presented] = await present(app, user, project.id, [added])
      if (!presented) throw missing()
      return presented
    },
  }),
  endpoint('GET /projects/:id/merge_requests/:merge_request_iid/blocks/:block_id', {
    summary: 'Get one of the merge requests that are merged before a merge request',
    access: within(request, block),
    reply: Block,
    async handle({ app, user, project, block }) {
      const [presented] = await present(app, user, project.id, [block])
      if (!presented) throw missing()
      return presented
    },
  }),
  endpoint('DELETE /projects/:id/merge_requests/:merge_request_iid/blocks/:block_id', {
    summary: 'Let a merge request wait for another no longer',
    access: within(managed, block),
    reply: none,
    lastChanged: ({ block }) => block.created_at,
    async handle({ app, block }) {
      await deleteBlock(app.db, block.id)
      return null
    },
  }),
]
