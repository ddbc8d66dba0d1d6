/** Push mirrors of projects (spec 6: not shown; the public documentation of the interface's later versions). */
import { missing } from '../../../failure.ts'
import { endpoint, listEndpoint } from '../../../http/declare/endpoint.ts'
import { type ProjectGranted, project, unarchived } from '../../../http/declare/rules.ts'
import { nested, within } from '../../../http/declare/within.ts'
import { Id, none } from '../../../http/parameters/schema.ts'
import { PublicKey } from '../mirrors/mirrors.schema.ts'
import { presentPushMirror } from './push-mirrors.present.ts'
import { deletePushMirror, listPushMirrors } from './push-mirrors.queries.ts'
import { mirrorBody, mirrorChanges, RemoteMirror } from './push-mirrors.schema.ts'
import { changePushMirror, createPushMirror, findPushMirror, syncPushMirror } from './push-mirrors.service.ts'

const mirror = nested({ mirror_id: Id }, async ({ project }: ProjectGranted, { mirror_id }, app) => ({
  mirror: await findPushMirror(app.db, project.id, mirror_id),
}))

export const pushMirrors = [
  listEndpoint('GET /projects/:id/remote_mirrors', {
    summary: 'List the push mirrors of a project',
    access: project('manage_mirrors'),
    item: RemoteMirror,
    async handle({ app, project, page }) {
      const { rows, total } = await listPushMirrors(app.db, project.id, page)
      return { rows: rows.map((row) => presentPushMirror(app, row)), total }
    },
  }),
  endpoint('GET /projects/:id/remote_mirrors/:mirror_id', {
    summary: 'Get a push mirror of a project',
    access: within(project('manage_mirrors'), mirror),
    reply: RemoteMirror,
    handle: ({ app, mirror }) => presentPushMirror(app, mirror),
  }),
  endpoint('GET /projects/:id/remote_mirrors/:mirror_id/public_key', {
    summary: 'Get the public SSH key of a push mirror',
    access: within(project('manage_mirrors'), mirror),
    reply: PublicKey,
    handle({ mirror }) {
      if (mirror.public_key === null) throw missing()
      return { public_key: mirror.public_key }
    },
  }),
  endpoint('POST /projects/:id/remote_mirrors', {
    summary: 'Create a push mirror of a project',
    access: unarchived(project('manage_mirrors')),
    body: mirrorBody,
    reply: RemoteMirror,
    handle: async ({ app, user, project, body }) => presentPushMirror(app, await createPushMirror(app, user, project.id, body)),
  }),
  endpoint('PUT /projects/:id/remote_mirrors/:mirror_id', {
    summary: 'Update a push mirror of a project',
    access: within(unarchived(project('manage_mirrors')), mirror),
    body: mirrorChanges,
    reply: RemoteMirror,
    handle: async ({ app, user, mirror, body }) => presentPushMirror(app, await changePushMirror(app, user, mirror, body)),
  }),
  endpoint('DELETE /projects/:id/remote_mirrors/:mirror_id', {
    summary: 'Remove a push mirror of a project',
    access: within(project('manage_mirrors'), mirror),
    reply: none,
    lastChanged: ({ mirror }) => mirror.updated_at,
    async handle({ app, mirror }) {
      await deletePushMirror(app.db, mirror.id)
      return null
    },
  }),
  endpoint('POST /projects/:id/remote_mirrors/:mirror_id/sync', {
    summary: 'Update the remote repository of a push mirror now',
    access: within(unarchived(project('manage_mirrors')), mirror),
    reply: none,
    async handle({ app, mirror }) {
      await syncPushMirror(app, mirror)
      return null
    },
  }),
]
