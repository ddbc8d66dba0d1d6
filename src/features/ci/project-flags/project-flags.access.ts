/** Access to the feature flags of a project: for those who manage them, and for programs that read them. For endpoints and pages. */
import { forbidden, missing } from '../../../failure.ts'
import { machines } from '../../../http/declare/machines.ts'
import { type Access, type Granted, type ProjectGranted, project, unarchived, using } from '../../../http/declare/rules.ts'
import { nested, within } from '../../../http/declare/within.ts'
import { Id, nameInPath } from '../../../http/parameters/schema.ts'
import { versionForClient } from './clients.service.ts'
import { getFlag } from './flags.service.ts'
import { userListAt } from './user-lists.queries.ts'

const flagInPath = nested({ feature_flag_name: nameInPath('Name of the flag') }, async ({ project }: ProjectGranted, params, app) => ({
  flag: await getFlag(app, project.id, params.feature_flag_name),
}))

const listInPath = nested({ user_list_iid: Id }, async ({ project }: ProjectGranted, { user_list_iid }, app) => {
  const list = await userListAt(app.db, project.id, user_list_iid)
  if (!list) throw missing()
  return { list }
})

/** Flags may say what is to come, and whom it is tried on: for those who write the code. */
export const flagsSeen = using('builds', project('manage_feature_flags'))
export const flagsManaged = unarchived(flagsSeen)
export const flagSeen = within(flagsSeen, flagInPath)
export const flagManaged = within(flagsManaged, flagInPath)
export const userListSeen = within(flagsSeen, listInPath)
export const userListManaged = within(flagsManaged, listInPath)
export const clientsReset = unarchived(using('builds', project('reset_flag_clients')))

/** No environment has a longer name; a longer one would be compared with every scope. */
const maxEnvironment_chars = 255

/**
 * Programs with the instance id of the project in the path, in a header or the query. They tell their environment as the name of the
 * program, which every client of Unleash sends.
 */
export function flagClients(): Access<Granted & { project_id: number; environment: string; version: number }> {
  return {
    ...machines('programs with the instance id of the project'),
    async grant({ app, params, sent }) {
      const { headers = {}, query = {} } = sent ?? {}
      const instance_id = headers['unleash-instanceid'] ?? query.instance_id
      const project_id = Number(params.project_id)
      const version = typeof instance_id === 'string' ? await versionForClient(app.db, project_id, instance_id) : null
      if (version === null) throw forbidden()
      const environment = headers['unleash-appname'] ?? query.app_name ?? ''
      const isName = typeof environment === 'string' && environment.length <= maxEnvironment_chars
      return { user: null, project_id, version, environment: isName ? environment : '' }
    },
  }
}
