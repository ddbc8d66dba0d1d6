/** Runners of projects and groups, and runners created by users. */
import { Type } from 'typebox'
import { findGroup, findProject } from '../../../access/find.ts'
import { accessLevels as levels } from '../../../access/levels.ts'
import type { RegistersFor } from '../../../access/principals.ts'
import type { App } from '../../../app.ts'
import type { User } from '../../../db/tables.ts'
import { badParameter, forbidden, notFound } from '../../../failure.ts'
import { endpoint, listEndpoint } from '../../../http/declare/endpoint.ts'
import { managers, onProjectOrGroup, onProjectsAndGroups, type PlaceGranted } from '../../../http/declare/places.ts'
import { only, people, project, signedIn } from '../../../http/declare/rules.ts'
import { Id, none, oneOf } from '../../../http/parameters/schema.ts'
import { createRunner } from './registration.service.ts'
import { filterOf, runnerFields, runnerFilters } from './runners.endpoints.ts'
import { presentRunner } from './runners.present.ts'
import { listRunners, type RunnerList } from './runners.queries.ts'
import { NewRunnerToken, RegistrationToken, Runner } from './runners.schema.ts'
import { disableRunner, enableRunner } from './runners.service.ts'
import { resetRegistrationToken } from './tokens.service.ts'

const ofPlaces = onProjectsAndGroups((kind) => [
  listEndpoint(`GET /${kind}s/:id/runners`, {
    summary: `List the runners that a ${kind} can use`,
    access: onProjectOrGroup(kind, managers),
    query: runnerFilters,
    item: Runner,
    async handle({ app, place, query, page }) {
      const { rows, total } = await listRunners(app.db, listOf(place), filterOf(query, true), page)
      return { rows: rows.map(presentRunner), total }
    },
  }),
  endpoint(`POST /${kind}s/:id/runners/reset_registration_token`, {
    summary: `Replace the registration token of a ${kind}`,
    access: onProjectOrGroup(kind, managers),
    reply: RegistrationToken,
    async handle({ app, place }) {
      return { token: await resetRegistrationToken(app, { kind: place.kind, id: place.row.id }), token_expires_at: null }
    },
  }),
])

function listOf({ kind, row }: PlaceGranted['place']): RunnerList {
  return kind === 'group' ? { of: 'group', id: row.id } : { of: 'project', id: row.id, namespace_id: row.namespace_id }
}

export const runnersOfPlaces = [
  ...ofPlaces,
  endpoint('POST /projects/:id/runners', {
    summary: 'Enable a runner for a project',
    access: project('manage_runners'),
    body: { runner_id: Id },
    reply: Runner,
    handle: async ({ app, user, project, body }) => presentRunner(await enableRunner(app, body.runner_id, project, user)),
  }),
  endpoint('DELETE /projects/:id/runners/:runner_id', {
    summary: 'Disable a runner for a project',
    access: project('manage_runners'),
    params: { runner_id: Id },
    reply: none,
    async handle({ app, project, params }) {
      await disableRunner(app, params.runner_id, project)
      return null
    },
  }),
  endpoint('POST /user/runners', {
    summary: 'Create a runner, with the token that its machines use',
    operationId: 'createRunner',
    access: only(signedIn(), people),
    body: {
      runner_type: oneOf('instance_type', 'group_type', 'project_type'),
      group_id: Type.Optional(Id),
      project_id: Type.Optional(Id),
      ...runnerFields,
    },
    reply: NewRunnerToken,
    async handle({ app, user, body: { runner_type, group_id, project_id, ...fields } }) {
      const place = await placeFor(app, user, { runner_type, group_id, project_id })
      const { runner, token } = await createRunner(app, user, place, fields)
      return { id: runner.id, token, token_expires_at: runner.token_expires_at }
    },
  }),
]

interface Wanted {
  runner_type: 'instance_type' | 'group_type' | 'project_type'
  group_id: number | undefined
  project_id: number | undefined
}

/** The place to create a runner for. Throws 400 if it is missing, 404 if the user can't see it, 403 if they don't manage it. */
async function placeFor({ db }: App, user: User, { runner_type, group_id, project_id }: Wanted): Promise<RegistersFor> {
  if (runner_type === 'instance_type') {
    if (!user.admin) throw forbidden()
    return { kind: 'instance' }
  }
  const id = runner_type === 'group_type' ? group_id : project_id
  if (id === undefined) throw badParameter(`${runner_type === 'group_type' ? 'group_id' : 'project_id'} is missing`)
  if (runner_type === 'group_type') {
    const { group, level } = await findGroup(db, String(id), user)
    if (level < levels.owner) throw forbidden()
    if (group.archived) throw notFound('Group')
    return { kind: 'group', id: group.id }
  }
  const { project, level } = await findProject(db, String(id), user)
  if (level < levels.maintainer) throw forbidden()
  if (project.archived) throw notFound('Project')
  return { kind: 'project', id: project.id }
}
