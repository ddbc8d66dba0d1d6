/** Lists of users that the strategies of feature flags name. */
import { Type } from 'typebox'
import { endpoint, listEndpoint } from '../../../http/declare/endpoint.ts'
import { none } from '../../../http/parameters/schema.ts'
import { flagsManaged, flagsSeen, userListManaged, userListSeen } from './project-flags.access.ts'
import { FlagUserListResource, presentUserList } from './project-flags.schema.ts'
import { listUserLists } from './user-lists.queries.ts'
import { changeUserList, createUserList, removeUserList } from './user-lists.service.ts'

const ids = { description: 'Ids of users of the program that asks, with commas between them' }

export const userLists = [
  listEndpoint('GET /projects/:id/feature_flags_user_lists', {
    summary: 'List the user lists of the feature flags of a project',
    access: flagsSeen,
    query: { search: Type.Optional(Type.String({ description: 'Part of a name' })) },
    item: FlagUserListResource,
    async handle({ app, project, query: { search }, page }) {
      const { rows, total } = await listUserLists(app.db, project.id, search, page)
      return { rows: rows.map(presentUserList), total }
    },
  }),
  endpoint('GET /projects/:id/feature_flags_user_lists/:user_list_iid', {
    summary: 'Get a user list of feature flags',
    access: userListSeen,
    reply: FlagUserListResource,
    handle: ({ list }) => presentUserList(list),
  }),
  endpoint('POST /projects/:id/feature_flags_user_lists', {
    summary: 'Create a user list of feature flags',
    access: flagsManaged,
    body: { name: Type.String(), user_xids: Type.String(ids) },
    reply: FlagUserListResource,
    handle: async ({ app, project, body }) => presentUserList(await createUserList(app, project.id, body)),
  }),
  endpoint('PUT /projects/:id/feature_flags_user_lists/:user_list_iid', {
    summary: 'Update a user list of feature flags',
    access: userListManaged,
    body: { name: Type.Optional(Type.String()), user_xids: Type.Optional(Type.String(ids)) },
    reply: FlagUserListResource,
    handle: async ({ app, list, body }) => presentUserList(await changeUserList(app, list, body)),
  }),
  endpoint('DELETE /projects/:id/feature_flags_user_lists/:user_list_iid', {
    summary: 'Delete a user list of feature flags',
    access: userListManaged,
    reply: none,
    fails: ['conflict'],
    lastChanged: ({ list }) => list.updated_at,
    async handle({ app, list }) {
      await removeUserList(app, list)
      return null
    },
  }),
]
