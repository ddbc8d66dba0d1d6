/** Avatars of users, groups and projects, at the URLs that `avatar_url` gives. */
import { Type } from 'typebox'
import { findUser } from '../../../access/users.ts'
import type { App } from '../../../app.ts'
import { notFound } from '../../../failure.ts'
import { type RawReply, streamEndpoint } from '../../../http/declare/endpoint.ts'
import { anyone, group, project } from '../../../http/declare/rules.ts'
import { type Avatar, mediaTypeOf } from './avatars.service.ts'
import { identiconName, identiconOf } from './identicons.ts'

export const avatars = [
  streamEndpoint('GET /uploads/-/system/user/avatar/:user_id/:filename', {
    summary: 'Get the avatar of a user, or their identicon',
    operationId: 'getUserAvatar',
    outsideApi: true,
    access: anyone(),
    params: { user_id: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }) },
    async handle({ app, params }) {
      if (params.filename === identiconName) return identicon(params.user_id)
      const user = await findUser(app.db, String(params.user_id))
      return serve(app, user, params.filename)
    },
  }),
  streamEndpoint('GET /uploads/-/system/group/avatar/:id/:filename', {
    summary: 'Get the avatar of a group',
    operationId: 'getGroupAvatar',
    outsideApi: true,
    access: group('visible'),
    handle: ({ app, group, params }) => serve(app, group, params.filename),
  }),
  streamEndpoint('GET /uploads/-/system/project/avatar/:id/:filename', {
    summary: 'Get the avatar of a project',
    operationId: 'getProjectAvatar',
    outsideApi: true,
    access: project('visible'),
    handle: ({ app, project, params }) => serve(app, project, params.filename),
  }),
  streamEndpoint('GET /groups/:id/avatar', {
    summary: 'Download the avatar of a group',
    operationId: 'downloadGroupAvatar',
    access: group('visible'),
    handle: ({ app, group }) => serve(app, group, group.avatar_name),
  }),
  streamEndpoint('GET /projects/:id/avatar', {
    summary: 'Download the avatar of a project',
    operationId: 'downloadProjectAvatar',
    access: project('visible'),
    handle: ({ app, project }) => serve(app, project, project.avatar_name),
  }),
]

/**
 * Served for any id, whether or not there is such a user, so that it doesn't reveal which users exist. A change of the drawing requires
 * another URL.
 */
async function identicon(userId: number): Promise<RawReply> {
  const image = await identiconOf(userId)
  return {
    etag: `"${userId}-${identiconName}"`,
    size: image.length,
    describe: () => ({
      type: 'image/png',
      'content-disposition': `inline; filename="${identiconName}"`,
      'cache-control': 'public, max-age=604800',
    }),
    open: (part) => (part ? image.subarray(part.start, part.end + 1) : image),
  }
}

function serve(app: App, holder: Avatar | null, filename: string | null): RawReply {
  const key = holder?.avatar_key
  if (!holder || !key || filename === null || holder.avatar_name !== filename) throw notFound('Avatar')
  return {
    etag: `"${key.split('/').at(-1)}"`,
    describe: () => ({ type: mediaTypeOf(filename), 'content-disposition': `inline; filename="${filename}"` }),
    open: () => app.store.open(key),
  }
}
